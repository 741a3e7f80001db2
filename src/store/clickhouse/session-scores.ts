/** What runs found. The latest score of a session is the one recorded last; everything else is asked of that one. */
import { randomUUID } from 'node:crypto';
import { TupleParam } from '@clickhouse/client';
import type { Evidence, SessionMetric } from '../../core/session-metric.ts';
import { SIGNALS } from '../../core/signals.ts';
import type { ScoreBucket, ScoreFilter, SessionScores, StoredSessionScore } from '../store.ts';
import { Conditions } from './conditions.ts';

import { parseCursor, toCursor } from './cursor.ts';
import type { SessionContext } from './signals.ts';

export interface ScoreRow {
  org_id: string;
  session_id: string;
  metric: SessionMetric;
  recorded_at: number;
  place: number;
  run_id: string;
  agent_id: string | null;
  score: number;
  threshold: number;
  passed: boolean | null;
  evidence: Evidence;
  total_traces: number;
  traces_evaluated: number;
  flagged_traces: number;
  revision: number;
  session_at: number;
  computed_at: number;
  tags: readonly string[];
  signal_counts: number[];
  weights: number[];
}

export const SCORE_COLUMNS = `org_id, session_id, metric, toFloat64(recorded_at) AS recorded_at, place, run_id, agent_id, score,
  threshold, passed, evidence, total_traces, traces_evaluated, flagged_traces, revision, session_at, computed_at, tags,
  signal_counts, weights`;

/** Two nodes may have carried out one run at once; the first of equal scores stays. */
const ONCE = `SELECT * FROM session_scores WHERE org_id = {orgId:String}
  ORDER BY recorded_at, place LIMIT 1 BY run_id, session_id, metric`;

export function createSessionScores(context: SessionContext): SessionScores {
  const { connection, queue } = context;
  return {
    append: (orgId, batch) => queue.run(() => appendScores(context, { orgId, batch })),

    async list(orgId, filter, { cursor, limit }) {
      const { sql, parameters } = toConditions(filter);
      const after = cursor == null ? null : parseCursor(cursor);
      const older = 'AND (scores.recorded_at, place) < ({at:Int64}, {place:UInt32})';
      const rows = await connection.query<ScoreRow>(
        `SELECT ${SCORE_COLUMNS} FROM (${ONCE}) AS scores WHERE ${sql} ${after ? older : ''}
         ORDER BY scores.recorded_at DESC, place DESC LIMIT ${limit + 1}`,
        { orgId, ...parameters, ...(after && { at: after.at, place: after.place }) },
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      const position = last && { at: last.recorded_at, place: last.place, id: '' };
      return {
        items: items.map(fromScoreRow),
        nextCursor: position && rows.length > limit ? toCursor(position) : null,
      };
    },

    async worst(orgId, filter, { cursor, limit }) {
      const { sql, parameters } = toConditions(filter);
      const offset = cursor == null ? 0 : parseCursor(cursor).at;
      const rows = await connection.query<ScoreRow>(
        `SELECT ${SCORE_COLUMNS} FROM (${latest(filter)}) AS scores WHERE ${sql}
         ORDER BY evidence = 'none', score, session_id, metric LIMIT ${limit + 1} OFFSET ${offset}`,
        { orgId, ...parameters },
      );
      return {
        items: rows.slice(0, limit).map(fromScoreRow),
        nextCursor: rows.length > limit ? toCursor({ at: offset + limit, place: 0, id: '' }) : null,
      };
    },

    async latestOf(orgId, sessionIds) {
      const rows = await connection.query<ScoreRow>(
        `SELECT ${SCORE_COLUMNS} FROM (
           SELECT * FROM session_scores WHERE org_id = {orgId:String} AND session_id IN {ids:Array(String)}
           ORDER BY recorded_at DESC, place DESC LIMIT 1 BY session_id, metric
         ) AS scores ORDER BY session_id, metric`,
        { orgId, ids: sessionIds },
      );
      return rows.map(fromScoreRow);
    },

    async aggregate(orgId, filter, spanMs) {
      const { sql, parameters } = toConditions(filter);
      return connection.query<ScoreBucket>(
        `SELECT metric, floor(session_at / {spanMs:Float64}) * {spanMs:Float64} AS startsAt,
           toFloat64(countIf(evidence != 'none')) AS sessions, toFloat64(countIf(evidence = 'none')) AS withoutEvidence,
           toFloat64(countIf(scores.passed = true)) AS passed, sumIf(score, evidence != 'none') AS scoreSum,
           if(sessions = 0, 1, minIf(score, evidence != 'none')) AS scoreMin, [${TENTHS}] AS tenths
         FROM (${latest(filter)}) AS scores WHERE ${sql} GROUP BY metric, startsAt ORDER BY startsAt, metric`,
        { orgId, spanMs, ...parameters },
      );
    },

    async scoredBy(orgId, runId) {
      const rows = await connection.query<{ session_id: string }>(
        `SELECT DISTINCT session_id FROM session_scores WHERE ${OF_RUN}`,
        { orgId, runId },
      );
      return new Set(rows.map(({ session_id }) => session_id));
    },

    removeRun: (orgId, runId) =>
      queue.run(async () => {
        const [found] = await connection.query<{ count: number }>(
          `SELECT toFloat64(uniqExact(session_id, metric)) AS count FROM session_scores WHERE ${OF_RUN}`,
          { orgId, runId },
        );
        if (!found || found.count === 0) return 0;
        await connection.delete('session_scores', OF_RUN, { orgId, runId });
        return found.count;
      }),
  };
}

const OF_RUN = 'org_id = {orgId:String} AND run_id = {runId:String}';

const TENTHS = Array.from(
  { length: 10 },
  (_, i) => `toFloat64(countIf(evidence != 'none' AND least(9, floor(score * 10)) = ${i}))`,
).join(', ');

/** Appends what one caller brings; restoring does so too. */
export async function appendScores(
  { connection, sessionArrival }: SessionContext,
  { orgId, batch }: { orgId: string; batch: readonly StoredSessionScore[] },
): Promise<{ accepted: number; duplicates: number }> {
  const found = await connection.query<Pick<ScoreRow, 'run_id' | 'session_id' | 'metric'>>(
    `SELECT run_id, session_id, metric FROM session_scores
     WHERE org_id = {orgId:String} AND (session_id, run_id) IN {keys:Array(Tuple(String, String))}`,
    { orgId, keys: batch.map(({ sessionId, runId }) => new TupleParam([sessionId, runId])) },
  );
  const known = new Set(found.map(keyOf));
  const rows: ScoreRow[] = [];
  for (const score of batch) {
    const { at, place } = sessionArrival.next();
    const row = toScoreRow(orgId, score, { at, place });
    if (known.has(keyOf(row))) continue;
    known.add(keyOf(row));
    rows.push(row);
  }
  await connection.insert('session_scores', rows, randomUUID());
  return { accepted: rows.length, duplicates: batch.length - rows.length };
}

function keyOf({ run_id, session_id, metric }: Pick<ScoreRow, 'run_id' | 'session_id' | 'metric'>): string {
  return `${run_id}\n${metric}\n${session_id}`;
}

/** The latest score of each session and metric, of one run where the filter names one. */
function latest({ runId }: ScoreFilter): string {
  return `SELECT * FROM session_scores WHERE org_id = {orgId:String} ${runId === undefined ? '' : 'AND run_id = {runId:String}'}
    ORDER BY recorded_at DESC, place DESC LIMIT 1 BY session_id, metric`;
}

function toConditions({ sessionId, agentId, metric, runId, tag, passed, evidence, from, to }: ScoreFilter) {
  const conditions = new Conditions();
  conditions.where('session_id = {sessionId:String}', { sessionId });
  conditions.where('agent_id = {agentId:String}', { agentId });
  conditions.where('metric = {metric:String}', { metric });
  conditions.where('run_id = {runId:String}', { runId });
  conditions.where('has(tags, {tag:String})', { tag });
  conditions.where('scores.passed = {isPassed:Bool}', { isPassed: passed });
  conditions.where('evidence = {evidence:String}', { evidence });
  conditions.where('session_at >= {from:Float64}', { from });
  conditions.where('session_at < {to:Float64}', { to });
  return conditions;
}

function toScoreRow(
  orgId: string,
  score: StoredSessionScore,
  { at, place }: { at: number; place: number },
): ScoreRow {
  return {
    org_id: orgId,
    session_id: score.sessionId,
    metric: score.metric,
    recorded_at: at,
    place,
    run_id: score.runId,
    agent_id: score.agentId,
    score: score.score,
    threshold: score.threshold,
    passed: score.passed,
    evidence: score.evidence,
    total_traces: score.totalTraces,
    traces_evaluated: score.tracesEvaluated,
    flagged_traces: score.flaggedTraces,
    revision: score.revision,
    session_at: score.sessionAt,
    computed_at: score.computedAt,
    tags: score.tags,
    signal_counts: SIGNALS.map((signal) => score.signalCounts[signal]),
    weights: SIGNALS.map((signal) => score.weights[signal]),
  };
}

export function fromScoreRow(row: ScoreRow): StoredSessionScore {
  return {
    runId: row.run_id,
    sessionId: row.session_id,
    metric: row.metric,
    agentId: row.agent_id,
    tags: row.tags,
    score: row.score,
    threshold: row.threshold,
    passed: row.passed,
    evidence: row.evidence,
    totalTraces: row.total_traces,
    tracesEvaluated: row.traces_evaluated,
    flaggedTraces: row.flagged_traces,
    signalCounts: bySignal(row.signal_counts),
    weights: bySignal(row.weights),
    revision: row.revision,
    sessionAt: row.session_at,
    computedAt: row.computed_at,
  };
}

function bySignal(figures: readonly number[]): StoredSessionScore['weights'] {
  const [confidence = 0, loop_detection = 0, tool_correctness = 0, coherence = 0] = figures;
  return { confidence, loop_detection, tool_correctness, coherence };
}
