/** Everything that the first page shows, in one reading: thousands of agents cost one pass over thirty days. */
import { assuranceOf } from '../core/assurance.ts';
import { toTime, toTimeOrNull } from '../core/contract/fields.ts';
import { LIMITS } from '../core/limits.ts';
import type { Agent, DayCounts } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;

export async function readOverview(context: ServiceContext, { orgId }: Caller) {
  const { store, clock } = context;
  const fromDay = Math.floor(clock() / DAY_MS) - DAYS + 1;
  const [{ items, nextCursor }, daily] = await Promise.all([
    store.agents.list(orgId, { limit: LIMITS.overviewAgentsMax }),
    store.evaluations.daily(orgId, { fromDay, days: DAYS }),
  ]);
  const agents = await Promise.all(
    items.map((agent) => toRow(context, orgId, { agent, daily: daily.get(agent.agentId) ?? null })),
  );
  return { first_day: toTime(fromDay * DAY_MS), days: DAYS, truncated: nextCursor !== null, agents };
}

async function toRow(
  { store }: ServiceContext,
  orgId: string,
  { agent, daily }: { agent: Agent; daily: DayCounts | null },
) {
  const reputation = await store.evaluations.reputation(orgId, agent.agentId);
  const { scoreLow, scoreHigh } = assuranceOf(reputation);
  return {
    agent_id: agent.agentId,
    display_name: agent.displayName,
    public: agent.isPublic,
    score: reputation.score,
    lifecycle: reputation.lifecycle,
    eval_count: reputation.evalCount,
    pass_rate: reputation.passRate,
    lifetime_evaluations: reputation.lifetimeEvaluations,
    evidence: reputation.evidence,
    score_low: scoreLow,
    score_high: scoreHigh,
    last_seen: toTimeOrNull(await store.evaluations.lastArrival(orgId, agent.agentId)),
    daily,
  };
}
