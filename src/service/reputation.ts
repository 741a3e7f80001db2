/** Where an agent stands, and where it stood. */
import { assuranceOf } from '../core/assurance.ts';
import { toTime, toTimeOrNull } from '../core/contract/fields.ts';
import { toAssuranceWire, toReputationSummary, toReputationWire } from '../core/contract/reputation.ts';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Caller, ServiceContext } from './context.ts';

/** All zeros for an agent nobody has evaluated. */
export async function readReputation({ store }: ServiceContext, { orgId }: Caller, agentId: string) {
  const reputation = await store.evaluations.reputation(orgId, agentId);
  const updatedAt = await store.evaluations.lastArrival(orgId, agentId);
  return { agent_id: agentId, ...toReputationWire(reputation), updated_at: toTimeOrNull(updatedAt) };
}

const MINUTE_MS = 60_000;
const UNIT_MS: Record<string, number> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS };
const SPAN_MS = 30 * 24 * 60 * MINUTE_MS;

interface HistoryRequest {
  from?: number | undefined;
  to?: number | undefined;
  step?: string | undefined;
}

/** One point at the end of each step; the last is at `to`. */
export async function readHistory(
  { store, clock }: ServiceContext,
  { orgId }: Caller,
  { agentId, to = clock(), from = to - SPAN_MS, step = '1d' }: HistoryRequest & { agentId: string },
) {
  const stepMs = Number(step.slice(0, -1)) * (UNIT_MS[step.slice(-1)] ?? MINUTE_MS);
  const points = Math.ceil((to - from) / stepMs);
  if (points < 1) throw new RenownError('invalid_request', 'from must be before to.');
  if (points > LIMITS.historyPointsMax) {
    throw new RenownError(
      'invalid_request',
      `step is too small: it gives ${points} points, and ${LIMITS.historyPointsMax} is the most. Take a larger one.`,
    );
  }
  const times = Array.from({ length: points }, (_, i) => Math.min(to, from + (i + 1) * stepMs));
  const reputations = await store.evaluations.history(orgId, agentId, times);
  return {
    agent_id: agentId,
    points: reputations.map((reputation, i) => ({
      at: toTime(times[i] as number),
      ...toReputationSummary(reputation),
      pass_rate: reputation.passRate,
      streak: reputation.streak,
      assurance: toAssuranceWire(assuranceOf(reputation)),
    })),
  };
}
