/**
 * What the scores of sessions come to: each session once, by its latest score. A session of which nothing was seen is
 * counted apart and never as a pass, nor in a mean.
 */
import { toTime } from '../core/contract/fields.ts';
import type { AggregateQuery } from '../core/contract/session-score.ts';
import { SESSION_METRICS, type SessionMetric } from '../core/session-metric.ts';
import type { ScoreBucket } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';
import { toScoreFilter } from './session-scores.ts';

type FigureContext = Pick<ServiceContext, 'store'>;

const HOUR_MS = 3_600_000;
const STEPS_MS = { '1h': HOUR_MS, '6h': 6 * HOUR_MS, '1d': 24 * HOUR_MS, '7d': 168 * HOUR_MS };
/** Longer than any time there is: everything falls into the span before 1970 or the one after. */
const ALL_MS = 1e17;

export async function summariseScores(context: FigureContext, caller: Caller, query: AggregateQuery) {
  return { metrics: (await totals(context, caller, query)).map(toFigures) };
}

export async function readTrend(
  { store }: FigureContext,
  { orgId }: Caller,
  { step = '1d', ...query }: AggregateQuery & { step?: keyof typeof STEPS_MS | undefined },
) {
  const buckets = await store.sessionScores.aggregate(orgId, toScoreFilter(query), STEPS_MS[step]);
  return { points: buckets.map((bucket) => ({ ...toFigures(bucket), at: toTime(bucket.startsAt) })) };
}

export async function readDistribution(context: FigureContext, caller: Caller, query: AggregateQuery) {
  const metrics = (await totals(context, caller, query)).map(
    ({ metric, sessions, withoutEvidence, tenths }) => ({
      metric,
      sessions,
      without_evidence: withoutEvidence,
      bins: tenths.map((count, i) => ({ from: i / 10, to: (i + 1) / 10, sessions: count })),
    }),
  );
  return { metrics };
}

async function totals(
  { store }: FigureContext,
  { orgId }: Caller,
  query: AggregateQuery,
): Promise<ScoreBucket[]> {
  const buckets = await store.sessionScores.aggregate(orgId, toScoreFilter(query), ALL_MS);
  return SESSION_METRICS.flatMap((metric) => addUp(buckets, metric));
}

/** None when nothing was scored by a metric. */
function addUp(buckets: readonly ScoreBucket[], metric: SessionMetric): ScoreBucket[] {
  const [first, ...others] = buckets.filter((bucket) => bucket.metric === metric);
  if (!first) return [];
  const sum = { ...first };
  for (const one of others) {
    sum.sessions += one.sessions;
    sum.withoutEvidence += one.withoutEvidence;
    sum.passed += one.passed;
    sum.scoreSum += one.scoreSum;
    sum.scoreMin = Math.min(sum.scoreMin, one.scoreMin);
    sum.tenths = sum.tenths.map((count, i) => count + (one.tenths[i] ?? 0));
  }
  return [sum];
}

function toFigures({ metric, sessions, withoutEvidence, passed, scoreSum, scoreMin }: ScoreBucket) {
  const seen = sessions > 0;
  return {
    metric,
    sessions,
    without_evidence: withoutEvidence,
    passed,
    failed: sessions - passed,
    pass_rate: seen ? passed / sessions : null,
    mean: seen ? scoreSum / sessions : null,
    worst: seen ? scoreMin : null,
  };
}
