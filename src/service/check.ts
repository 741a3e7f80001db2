/** Checks: three answers about an agent or a session. A check is read and never stored. */
import { assuranceOf } from '../core/assurance.ts';
import { type Check, checkDrop, checkReputation, checkSession, worstOf } from '../core/check.ts';
import { scoreConsistency } from '../core/consistency.ts';
import {
  type AgentCheckRequest,
  DROP_SPAN_MS,
  type SessionCheckRequest,
  type TracesCheckRequest,
  toCheckWire,
} from '../core/contract/check.ts';
import { toAssuranceWire } from '../core/contract/reputation.ts';
import { toTraces, toWeightOverrides } from '../core/contract/session-metrics.ts';
import { RenownError } from '../core/errors.ts';
import { Issues } from '../core/issues.ts';
import { scoreReliability } from '../core/reliability.ts';
import { type Trace, toSessionSignals } from '../core/signals.ts';
import type { Caller, ServiceContext } from './context.ts';

export async function check(
  context: ServiceContext,
  caller: Caller,
  request: AgentCheckRequest | SessionCheckRequest | TracesCheckRequest,
) {
  if ('agent_id' in request) return checkAgent(context, caller, request);
  return 'traces' in request ? checkTraces(request) : checkStoredSession(context, caller, request);
}

async function checkAgent({ store, clock }: ServiceContext, { orgId }: Caller, request: AgentCheckRequest) {
  const { agent_id: agentId, min, max_drop: maxDrop, point = false } = request;
  const { since = clock() - DROP_SPAN_MS } = request;
  refuseBadLimits({ min, max_drop: maxDrop }, 1000);
  const reputation = await store.evaluations.reputation(orgId, agentId);
  const checks: Check[] = [];
  if (min !== undefined) checks.push(checkReputation(reputation, { min, point }));
  if (maxDrop !== undefined) {
    const [before = reputation] = await store.evaluations.history(orgId, agentId, [since]);
    checks.push(checkDrop(before, reputation, { maxDrop, point }));
  }
  if (checks.length === 0)
    throw new RenownError('invalid_request', 'Give a minimum with min, or a largest fall with max_drop.');
  return {
    ...toCheckWire(worstOf(checks)),
    score: reputation.score,
    assurance: toAssuranceWire(assuranceOf(reputation)),
  };
}

/** Needs no ledger. */
export function checkTraces(request: TracesCheckRequest) {
  return checkSignals(toTraces(request), request);
}

/** By the signals that the ledger has of it now. A session that nobody has reported on is not enough evidence. */
async function checkStoredSession(
  { store }: ServiceContext,
  { orgId }: Caller,
  request: SessionCheckRequest,
) {
  const { session_id: sessionId } = request;
  const session = (await store.signals.read(orgId, [sessionId])).get(sessionId);
  return checkSignals(session?.traces ?? [], request);
}

function checkSignals(
  traces: readonly Trace[],
  { metric, min, ...given }: Pick<SessionCheckRequest, 'metric' | 'min' | 'signal_weights'>,
) {
  refuseBadLimits({ min }, 1);
  const session = toSessionSignals(traces);
  const weights = toWeightOverrides(given);
  const score =
    metric === 'agent_reliability'
      ? scoreReliability(session, { weights })
      : scoreConsistency(session, { weights });
  return { ...toCheckWire(checkSession(score, min)), score: score.score, assurance: null };
}

function refuseBadLimits(limits: Record<string, number | undefined>, max: number): void {
  const issues = new Issues();
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined) issues.number(value, name, { min: 0, max });
  }
  issues.throwIfAny();
}
