/** What runs have found, for reading: scores, sessions worst first, and what they come to over time. */
import { toPageRequest, toPageWire, toTime } from '../core/contract/fields.ts';
import type { AggregateQuery, ScoreQuery } from '../core/contract/session-score.ts';
import { quadrantOf } from '../core/quadrant.ts';
import {
  describeScore,
  SESSION_METRICS,
  type SessionMetric,
  THRESHOLD_DEFAULT,
} from '../core/session-metric.ts';
import { METRIC_GUIDE } from '../core/session-metric-guide.ts';
import { toSignalWeights } from '../core/signals.ts';
import type { ScoreFilter, StoredSessionScore } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';
import { readRun, unknownRun } from './run-document.ts';
import { explainScore } from './score-session.ts';

type ScoreContext = Pick<ServiceContext, 'store'>;

export function listSessionMetrics() {
  return {
    items: SESSION_METRICS.map((name) => {
      const { method, bands, zeroMeans, oneMeans } = METRIC_GUIDE[name];
      return {
        name,
        method,
        range: [0, 1] as const,
        threshold: THRESHOLD_DEFAULT,
        zero_means: zeroMeans,
        one_means: oneMeans,
        bands: bands.map(([from, text]) => ({ from, text })),
        signal_weights: toSignalWeights(null),
      };
    }),
  };
}

/** Every score there is, newest first. */
export async function listScores({ store }: ScoreContext, { orgId }: Caller, query: ScoreQuery) {
  const page = await store.sessionScores.list(orgId, toScoreFilter(query), toPageRequest(query));
  return toPageWire(page, toScoreWire);
}

/** The scores of one run, worst first. */
export async function listRunScores(
  context: ScoreContext,
  caller: Caller,
  { runId, metadata, ...query }: AggregateQuery & Pages & { runId: string; metadata?: boolean | undefined },
) {
  if (!(await readRun(context.store, caller.orgId, runId))) return unknownRun();
  const filter = { ...toScoreFilter(query), runId };
  const page = await context.store.sessionScores.worst(caller.orgId, filter, toPageRequest(query));
  if (!metadata) return toPageWire(page, toScoreWire);
  const items = await Promise.all(page.items.map((score) => explained(context, caller, score)));
  return { items, next_cursor: page.nextCursor };
}

/** The latest scores of a session, with how each trace came out. Empty for one that nobody has scored. */
export async function readSessionScores(context: ScoreContext, caller: Caller, sessionId: string) {
  const latest = await context.store.sessionScores.latestOf(caller.orgId, [sessionId]);
  const ordered = SESSION_METRICS.flatMap((metric) => latest.filter((score) => score.metric === metric));
  return {
    session_id: sessionId,
    agent_id: ordered[0]?.agentId ?? null,
    quadrant: quadrantFrom(latest),
    scores: await Promise.all(ordered.map((score) => explained(context, caller, score))),
  };
}

/** Sessions by one metric, worst first, with both metrics of each. */
export async function worstSessions(
  { store }: ScoreContext,
  { orgId }: Caller,
  query: AggregateQuery & Pages,
) {
  const filter = { metric: 'agent_reliability' as SessionMetric, ...toScoreFilter(query) };
  const page = await store.sessionScores.worst(orgId, filter, toPageRequest(query));
  const ids = page.items.map(({ sessionId }) => sessionId);
  const latest = await store.sessionScores.latestOf(orgId, ids);
  const items = page.items.map(({ sessionId, agentId, tags, sessionAt, totalTraces }) => ({
    session_id: sessionId,
    agent_id: agentId,
    tags,
    last_at: toTime(sessionAt),
    traces: totalTraces,
    ...scoresInBrief(latest.filter((score) => score.sessionId === sessionId)),
  }));
  return { ...page, items };
}

/** Both metrics of one session, and what they come to together. */
export function scoresInBrief(scores: readonly StoredSessionScore[]) {
  return {
    quadrant: quadrantFrom(scores),
    agent_reliability: toBriefWire(ofMetric(scores, 'agent_reliability')),
    agent_consistency: toBriefWire(ofMetric(scores, 'agent_consistency')),
  };
}

export interface Pages {
  cursor?: string | undefined;
  limit?: number | undefined;
}

export function toScoreFilter(query: Partial<ScoreQuery>): ScoreFilter {
  return {
    ...(query.session_id !== undefined && { sessionId: query.session_id }),
    ...(query.agent_id !== undefined && { agentId: query.agent_id }),
    ...(query.metric !== undefined && { metric: query.metric }),
    ...(query.run_id !== undefined && { runId: query.run_id }),
    ...(query.tag !== undefined && { tag: query.tag }),
    ...(query.passed !== undefined && { passed: query.passed }),
    ...(query.evidence !== undefined && { evidence: query.evidence }),
    ...(query.from !== undefined && { from: query.from }),
    ...(query.to !== undefined && { to: query.to }),
  };
}

async function explained({ store }: ScoreContext, { orgId }: Caller, score: StoredSessionScore) {
  const session = await store.signals.readAt(orgId, score.sessionId, score.revision);
  return { ...toScoreWire(score), metadata: explainScore(session, score) };
}

function toScoreWire(score: StoredSessionScore) {
  const { totalTraces, tracesEvaluated } = score;
  return {
    run_id: score.runId,
    session_id: score.sessionId,
    metric: score.metric,
    agent_id: score.agentId,
    tags: score.tags,
    score: score.score,
    threshold: score.threshold,
    passed: score.passed,
    ...describeScore(score, METRIC_GUIDE[score.metric].bands),
    evidence: score.evidence,
    coverage: totalTraces === 0 ? 0 : tracesEvaluated / totalTraces,
    total_traces: totalTraces,
    traces_evaluated: tracesEvaluated,
    flagged_traces: score.flaggedTraces,
    signal_counts: score.signalCounts,
    signal_weights: score.weights,
    session_at: toTime(score.sessionAt),
    computed_at: toTime(score.computedAt),
  };
}

function toBriefWire(score: StoredSessionScore | undefined) {
  if (!score) return null;
  const { score: value, threshold, passed, band, evidence, coverage, flagged_traces } = toScoreWire(score);
  return { score: value, threshold, passed, band, evidence, coverage, flagged_traces };
}

function ofMetric(
  scores: readonly StoredSessionScore[],
  metric: SessionMetric,
): StoredSessionScore | undefined {
  return scores.find((score) => score.metric === metric);
}

function quadrantFrom(scores: readonly StoredSessionScore[]) {
  const reliability = ofMetric(scores, 'agent_reliability');
  const consistency = ofMetric(scores, 'agent_consistency');
  return reliability && consistency ? quadrantOf(reliability, consistency) : null;
}
