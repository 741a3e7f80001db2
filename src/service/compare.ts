/** Two versions, models or gate suites of one agent side by side, with an interval for the difference. */
import type { COMPARED_BY } from '../core/contract/explain.ts';
import { toTime } from '../core/contract/fields.ts';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { rateDifference } from '../core/stats/rate-difference.ts';
import { wilsonInterval } from '../core/stats/wilson.ts';
import type { StoredEvaluation } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';
import { countingEvaluations } from './counting-evaluations.ts';

type ComparedBy = (typeof COMPARED_BY)[number];

interface Tally {
  value: string;
  count: number;
  passed: number;
  latencySumMs: number;
  firstAt: number;
  lastAt: number;
}

interface CompareRequest {
  agentId: string;
  by?: ComparedBy | undefined;
  before?: string | undefined;
  after?: string | undefined;
}

/** Over the newest evaluations that count, as many as the limit allows; those that do not say are left out. */
export async function compare(context: ServiceContext, { orgId }: Caller, request: CompareRequest) {
  const { agentId, by = 'version' } = request;
  const tallies = await tally(context, orgId, { agentId, by });
  const named = (value: string) => {
    const found = tallies.find((one) => one.value === value);
    if (!found) throw new RenownError('not_found', `No evaluation of this agent names the ${by} ${value}.`);
    return found;
  };
  const after = request.after === undefined ? tallies.at(-1) : named(request.after);
  const others = tallies.filter((one) => one !== after);
  const before = request.before === undefined ? others.at(-1) : named(request.before);
  const difference = before && after ? rateDifference(before, after) : null;
  return {
    agent_id: agentId,
    by,
    before: before ? toSide(before) : null,
    after: after ? toSide(after) : null,
    difference: difference && {
      pass_rate: difference.difference,
      low: difference.low,
      high: difference.high,
    },
    values: tallies.map(({ value }) => value),
  };
}

/** In order of their first arrival. */
async function tally(
  context: ServiceContext,
  orgId: string,
  { agentId, by }: { agentId: string; by: ComparedBy },
): Promise<Tally[]> {
  const tallies = new Map<string, Tally>();
  let seen = 0;
  for await (const one of countingEvaluations(context, orgId, agentId)) {
    if (++seen > LIMITS.comparedMax) break;
    const value = nameOf(one, by);
    if (value === null) continue;
    const { receivedAt } = one;
    const known = tallies.get(value) ?? {
      value,
      count: 0,
      passed: 0,
      latencySumMs: 0,
      firstAt: receivedAt,
      lastAt: receivedAt,
    };
    tallies.set(value, known);
    known.count++;
    if (one.passed) known.passed++;
    known.latencySumMs += one.totalLatencyMs;
    known.firstAt = receivedAt;
  }
  // The newest came first, so the last one met is the one that arrived first.
  return [...tallies.values()].sort((a, b) => a.firstAt - b.firstAt);
}

function nameOf(one: StoredEvaluation, by: ComparedBy): string | null {
  return { version: one.version, model: one.model, suite: one.suiteHash }[by];
}

function toSide({ value, count, passed, latencySumMs, firstAt, lastAt }: Tally) {
  const { low, high } = wilsonInterval(passed, count);
  return {
    value,
    evaluations: count,
    passed,
    pass_rate: passed / count,
    pass_rate_low: low,
    pass_rate_high: high,
    avg_latency_ms: latencySumMs / count,
    first_at: toTime(firstAt),
    last_at: toTime(lastAt),
  };
}
