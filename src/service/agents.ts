/** Agents: what is known of them, what may be changed, and what outsiders see. */
import { assuranceOf } from '../core/assurance.ts';
import type { AgentRequest } from '../core/contract/agent.ts';
import { toPageRequest, toPageWire, toTime } from '../core/contract/fields.ts';
import { toIdentityWire } from '../core/contract/identity.ts';
import { toAssuranceWire, toReputationSummary } from '../core/contract/reputation.ts';
import { RenownError } from '../core/errors.ts';
import { identityIdOf } from '../core/ids.ts';
import { PUBLIC_FROM } from '../core/reputation.ts';
import type { SessionMetric } from '../core/session-metric.ts';
import type { Agent } from '../store/store.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';
import { forgetEvidence } from './forget-evidence.ts';
import { readReputation } from './reputation.ts';
import { summariseScores } from './score-figures.ts';
import { readPerformance } from './sessions.ts';

export async function listAgents(
  { store }: ServiceContext,
  { orgId }: Caller,
  query: { cursor?: string | undefined; limit?: number | undefined },
) {
  const page = await store.agents.list(orgId, toPageRequest(query));
  const items = await Promise.all(
    page.items.map(async (agent) => {
      const reputation = await store.evaluations.reputation(orgId, agent.agentId);
      const { evidence, passRate } = reputation;
      const assurance = toAssuranceWire(assuranceOf(reputation));
      const summary = { ...toReputationSummary(reputation), pass_rate: passRate, evidence, assurance };
      return { ...toAgentWire(agent), reputation: summary };
    }),
  );
  return toPageWire({ ...page, items }, (item) => item);
}

export async function readAgent({ store }: ServiceContext, { orgId }: Caller, agentId: string) {
  return toAgentWire((await store.agents.get(orgId, agentId)) ?? unknownAgent());
}

/** `new` refuses one that exists, `known` one that does not. */
export async function putAgent(
  context: ServiceContext,
  caller: Caller,
  { agent_id: agentId, expected, ...change }: AgentRequest & { expected: 'new' | 'known' },
) {
  const { store, clock } = context;
  const known = await store.agents.get(caller.orgId, agentId);
  if (expected === 'known' && !known) return unknownAgent();
  if (expected === 'new' && known) {
    throw new RenownError('conflict', 'This org has an agent of that id. Change it with PATCH.');
  }
  const agent = await store.agents.put(caller.orgId, agentId, {
    at: clock(),
    ...(change.display_name !== undefined && { displayName: change.display_name }),
    ...(change.public !== undefined && { isPublic: change.public }),
    ...(change.identity_id !== undefined && { identityId: change.identity_id.toLowerCase() }),
  });
  const what = { action: known ? 'agent.change' : 'agent.create', target: agentId };
  const note = Object.keys(change).join(', ');
  await store.audit.append(caller.orgId, auditEntry(context, caller, { ...what, note }));
  return toAgentWire(agent);
}

export async function deleteAgent(context: ServiceContext, caller: Caller, agentId: string) {
  const entry = auditEntry(context, caller, { action: 'agent.delete', target: agentId });
  if (!(await context.store.agents.delete(caller.orgId, agentId, entry))) return unknownAgent();
  await forgetEvidence(context, caller, agentId);
  context.hub.changed(caller.orgId, [agentId]);
  return { deleted: true as const };
}

/** All five scores on one page; an agent nobody has met has a card of zeros, as it has a reputation. */
export async function readCard(context: ServiceContext, caller: Caller, agentId: string) {
  const { store, clock } = context;
  const known = await store.agents.get(caller.orgId, agentId);
  const agent = known ?? {
    agentId,
    identityId: identityIdOf(caller.orgId, agentId),
    displayName: null,
    isPublic: false,
    createdAt: clock(),
  };
  const identity = await store.identities.score(caller.orgId, agent.identityId, clock());
  const { metrics } = await summariseScores(context, caller, { agent_id: agentId });
  return {
    agent: toAgentWire(agent),
    scores: {
      reputation: await readReputation(context, caller, agentId),
      agent_reliability: sessionFigures(metrics, 'agent_reliability'),
      agent_consistency: sessionFigures(metrics, 'agent_consistency'),
      performance: await readPerformance(context, caller, agentId),
      identity: identity.totalEvents === 0 ? null : toIdentityWire(identity),
    },
  };
}

/** Null where no session of the agent was scored. */
function sessionFigures(
  metrics: Awaited<ReturnType<typeof summariseScores>>['metrics'],
  name: SessionMetric,
) {
  const found = metrics.find(({ metric }) => metric === name);
  if (!found) return null;
  const { metric: _, ...figures } = found;
  return figures;
}

/** An agent that is not public does not exist for outsiders. */
export async function readPublicProfile({ store }: ServiceContext, orgId: string, agentId: string) {
  const agent = await store.agents.get(orgId, agentId);
  if (!agent?.isPublic) return unknownAgent();
  const reputation = await store.evaluations.reputation(orgId, agentId);
  const { lifetimeEvaluations, lifecycle, score, evidence } = reputation;
  const assurance = toAssuranceWire(assuranceOf(reputation));
  const shown = lifetimeEvaluations >= PUBLIC_FROM;
  return {
    agent_id: agentId,
    display_name: agent.displayName,
    org: orgId,
    lifecycle,
    score: shown ? score : null,
    label: shown
      ? `${score} (${assurance.score_low}–${assurance.score_high})`
      : `${lifecycle} ${lifetimeEvaluations}/${PUBLIC_FROM}`,
    lifetime_evaluations: lifetimeEvaluations,
    pass_rate: shown ? reputation.passRate : null,
    assurance: shown ? assurance : null,
    evidence,
  };
}

function toAgentWire({ agentId, identityId, displayName, isPublic, createdAt }: Agent) {
  return {
    agent_id: agentId,
    identity_id: identityId,
    display_name: displayName,
    public: isPublic,
    created_at: toTime(createdAt),
  };
}

function unknownAgent(): never {
  throw new RenownError('not_found', 'There is no agent of that id.');
}
