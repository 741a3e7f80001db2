/** What runs found. The latest score of a session is the one that came last; everything else is asked of that one. */
import { BOOLEAN, DOUBLE, INTEGER, UTINYINT, VARCHAR } from '@duckdb/node-api';
import type { Evidence, SessionMetric } from '../../core/session-metric.ts';
import { SIGNALS } from '../../core/signals.ts';
import type { ScoreBucket, ScoreFilter, SessionScores, StoredSessionScore } from '../store.ts';
import { parseSeqCursor } from './cursor.ts';
import { numberList, query } from './query.ts';
import { type SignalContext, sessionMark } from './signals.ts';
import { fromTagText, toTagText } from './tag-text.ts';
import type { AppendTable, Transaction } from './transaction.ts';

/** Stored as positions in these lists, so nothing may ever move in them. In the order of their names. */
const METRICS: readonly SessionMetric[] = ['agent_consistency', 'agent_reliability'];
const EVIDENCES: readonly Evidence[] = ['none', 'partial', 'full'];

export type ScoreContext = Pick<
  SignalContext,
  'reader' | 'queue' | 'directory' | 'names' | 'seed' | 'arrival'
>;

// biome-ignore format: in the order of the columns, as the migration has them.
const SESSION_SCORES: AppendTable = {
  name: 'session_scores',
  types: [
    DOUBLE, DOUBLE, INTEGER, INTEGER, INTEGER, VARCHAR, UTINYINT, DOUBLE, DOUBLE, BOOLEAN, UTINYINT, INTEGER, INTEGER,
    INTEGER, DOUBLE, DOUBLE, DOUBLE, VARCHAR, VARCHAR,
  ],
};

export const SCORE_COLUMNS = `seq, org_no AS "orgNo", agent_no AS "agentNo", run_no AS "runNo", session_id AS "sessionId",
  metric, score, threshold, passed, evidence, total_traces AS "totalTraces", traces_evaluated AS "tracesEvaluated",
  flagged_traces AS "flaggedTraces", revision, session_at AS "sessionAt", computed_at AS "computedAt", tags, details`;

type Same =
  | 'sessionId'
  | 'score'
  | 'threshold'
  | 'passed'
  | 'totalTraces'
  | 'tracesEvaluated'
  | 'flaggedTraces'
  | 'revision'
  | 'sessionAt'
  | 'computedAt';

export interface ScoreRow extends Pick<StoredSessionScore, Same> {
  seq: number;
  orgNo: number;
  agentNo: number | null;
  runNo: number;
  metric: number;
  evidence: number;
  tags: string;
  details: string;
}

export function createSessionScores(context: ScoreContext): SessionScores {
  const { reader, queue, names, seed } = context;
  const fromRow = (row: ScoreRow) => fromScoreRow(row, context);
  return {
    append: (orgId, batch) =>
      queue.write((transaction) => appendScores(transaction, context, { orgId, batch }), batch.length),

    async list(orgId, filter, { cursor, limit }) {
      const before = parseSeqCursor(cursor);
      const { where, values } = conditions(context, orgId, filter);
      const rows = await query<ScoreRow>(
        reader,
        `SELECT ${SCORE_COLUMNS} FROM session_scores WHERE ${where}
         ${before === null ? '' : `AND seq < ${before}`} ORDER BY seq DESC LIMIT ${limit + 1}`,
        values,
      );
      const items = rows.slice(0, limit);
      return {
        items: items.map(fromRow),
        nextCursor: rows.length > limit ? String(items.at(-1)?.seq) : null,
      };
    },

    async worst(orgId, filter, { cursor, limit }) {
      const offset = parseSeqCursor(cursor) ?? 0;
      const { where, values } = conditions(context, orgId, filter);
      const rows = await query<ScoreRow>(
        reader,
        `SELECT ${SCORE_COLUMNS} FROM (${latest(context, orgId, filter)}) WHERE ${where}
         ORDER BY evidence = 0, score, session_id, metric LIMIT ${limit + 1} OFFSET ${offset}`,
        values,
      );
      return {
        items: rows.slice(0, limit).map(fromRow),
        nextCursor: rows.length > limit ? String(offset + limit) : null,
      };
    },

    async latestOf(orgId, sessionIds) {
      const marks = numberList(sessionIds.map((sessionId) => sessionMark(orgId, sessionId, seed)));
      const rows = await query<ScoreRow>(
        reader,
        `SELECT ${SCORE_COLUMNS} FROM session_scores WHERE mark IN (${marks}) AND org_no = ${names.numberOf(orgId)}
         QUALIFY row_number() OVER (PARTITION BY session_id, metric ORDER BY seq DESC) = 1
         ORDER BY session_id, metric`,
      );
      const wanted = new Set(sessionIds);
      return rows.filter(({ sessionId }) => wanted.has(sessionId)).map(fromRow);
    },

    async aggregate(orgId, filter, spanMs) {
      const { where, values } = conditions(context, orgId, filter);
      const rows = await query<BucketRow>(
        reader,
        bucketsOf(latest(context, orgId, filter), where, spanMs),
        values,
      );
      return rows.map(toBucket);
    },

    async scoredBy(orgId, runId) {
      const rows = await query<{ sessionId: string }>(
        reader,
        `SELECT DISTINCT session_id AS "sessionId" FROM session_scores WHERE ${ofRun(context, orgId, runId)}`,
      );
      return new Set(rows.map(({ sessionId }) => sessionId));
    },

    removeRun: (orgId, runId) =>
      queue.write(async (transaction) => {
        const removed = await transaction.query(
          `DELETE FROM session_scores WHERE ${ofRun(context, orgId, runId)} RETURNING 1`,
        );
        return () => removed.length;
      }),
  };
}

/** Appends within a transaction of the caller's; restoring does so too. */
export async function appendScores(
  transaction: Transaction,
  context: ScoreContext,
  { orgId, batch }: { orgId: string; batch: readonly StoredSessionScore[] },
): Promise<() => { accepted: number; duplicates: number }> {
  const { names, directory, seed, arrival } = context;
  const known = await knownScores(transaction, context, { orgId, batch });
  let duplicates = 0;
  for (const score of batch) {
    const key = keyOf(score);
    if (known.has(key)) {
      duplicates++;
      continue;
    }
    known.add(key);
    transaction.append(SESSION_SCORES, [
      arrival.nextSeq++,
      sessionMark(orgId, score.sessionId, seed),
      names.ensure(transaction, orgId),
      score.agentId === null ? null : (directory.find(orgId, score.agentId)?.agentNo ?? null),
      names.ensure(transaction, score.runId),
      score.sessionId,
      METRICS.indexOf(score.metric),
      score.score,
      score.threshold,
      score.passed,
      EVIDENCES.indexOf(score.evidence),
      score.totalTraces,
      score.tracesEvaluated,
      score.flaggedTraces,
      score.revision,
      score.sessionAt,
      score.computedAt,
      toTagText(score.tags),
      toDetails(score),
    ]);
  }
  return () => ({ accepted: batch.length - duplicates, duplicates });
}

/** Which run, session and metric the ledger has already. A run that is new to it needs no look. */
async function knownScores(
  transaction: Transaction,
  { names, seed }: ScoreContext,
  { orgId, batch }: { orgId: string; batch: readonly StoredSessionScore[] },
): Promise<Set<string>> {
  const runNos = new Set(batch.map(({ runId }) => names.numberOf(runId)).filter((runNo) => runNo !== -1));
  if (runNos.size === 0) return new Set();
  const marks = numberList(new Set(batch.map(({ sessionId }) => sessionMark(orgId, sessionId, seed))));
  const rows = await transaction.query<{ runNo: number; sessionId: string; metric: number }>(
    `SELECT run_no AS "runNo", session_id AS "sessionId", metric FROM session_scores
     WHERE run_no IN (${numberList(runNos)}) AND org_no = ${names.numberOf(orgId)} AND mark IN (${marks})`,
  );
  return new Set(
    rows.map(({ runNo, sessionId, metric }) =>
      keyOf({ runId: names.textOf(runNo) ?? '', sessionId, metric: toMetric(metric) }),
    ),
  );
}

export function fromScoreRow(
  { seq: _, orgNo: _org, agentNo, runNo, metric, evidence, tags, details, ...same }: ScoreRow,
  { names, directory }: ScoreContext,
): StoredSessionScore {
  const [counts, weights] = JSON.parse(details) as [number[], number[]];
  return {
    ...same,
    runId: names.textOf(runNo) ?? '',
    metric: toMetric(metric),
    agentId: agentNo === null ? null : (directory.ofNumber(agentNo)?.agentId ?? null),
    evidence: EVIDENCES[evidence] ?? 'none',
    tags: fromTagText(tags),
    signalCounts: bySignal(counts),
    weights: bySignal(weights),
  };
}

function toDetails({ signalCounts, weights }: StoredSessionScore): string {
  return JSON.stringify([
    SIGNALS.map((signal) => signalCounts[signal]),
    SIGNALS.map((signal) => weights[signal]),
  ]);
}

function bySignal(figures: readonly number[]): StoredSessionScore['weights'] {
  const [confidence = 0, loop_detection = 0, tool_correctness = 0, coherence = 0] = figures;
  return { confidence, loop_detection, tool_correctness, coherence };
}

function toMetric(position: number): SessionMetric {
  return METRICS[position] ?? 'agent_reliability';
}

function keyOf({
  runId,
  sessionId,
  metric,
}: Pick<StoredSessionScore, 'runId' | 'sessionId' | 'metric'>): string {
  return `${runId}\n${metric}\n${sessionId}`;
}

function ofRun({ names }: ScoreContext, orgId: string, runId: string): string {
  return `org_no = ${names.numberOf(orgId)} AND run_no = ${names.numberOf(runId)}`;
}

/** The latest score of each session and metric, of one run where the filter names one. */
function latest(context: ScoreContext, orgId: string, { runId }: ScoreFilter): string {
  const of = runId === undefined ? `org_no = ${context.names.numberOf(orgId)}` : ofRun(context, orgId, runId);
  return `SELECT * FROM session_scores WHERE ${of}
    QUALIFY row_number() OVER (PARTITION BY mark, session_id, metric ORDER BY seq DESC) = 1`;
}

function conditions({ names, directory }: ScoreContext, orgId: string, filter: ScoreFilter) {
  const { sessionId, agentId, metric, runId, tag, passed, evidence, from, to } = filter;
  const agentNo = agentId === undefined ? -1 : (directory.find(orgId, agentId)?.agentNo ?? -1);
  const where = [
    `org_no = ${names.numberOf(orgId)}`,
    ...(sessionId === undefined ? [] : ['session_id = $sessionId']),
    ...(agentId === undefined ? [] : [`agent_no = ${agentNo}`]),
    ...(metric === undefined ? [] : [`metric = ${METRICS.indexOf(metric)}`]),
    ...(runId === undefined ? [] : [`run_no = ${names.numberOf(runId)}`]),
    ...(tag === undefined ? [] : ['contains(tags, $tag)']),
    ...(passed === undefined ? [] : [`passed = ${passed}`]),
    ...(evidence === undefined ? [] : [`evidence = ${EVIDENCES.indexOf(evidence)}`]),
    ...(from === undefined ? [] : [`session_at >= ${Number(from)}`]),
    ...(to === undefined ? [] : [`session_at < ${Number(to)}`]),
  ].join(' AND ');
  const values = {
    ...(sessionId !== undefined && { sessionId }),
    ...(tag !== undefined && { tag: toTagText([tag]) }),
  };
  return { where, values };
}

type BucketRow = Omit<ScoreBucket, 'metric' | 'tenths'> & { metric: number } & Record<
    `tenth${number}`,
    number
  >;

function bucketsOf(latestScores: string, where: string, spanMs: number): string {
  const tenths = Array.from(
    { length: 10 },
    (_, i) => `count(*) FILTER (evidence <> 0 AND least(9, floor(score * 10)) = ${i})::DOUBLE AS "tenth${i}"`,
  );
  return `
    SELECT metric, floor(session_at / ${Number(spanMs)}) * ${Number(spanMs)} AS "startsAt",
      count(*) FILTER (evidence <> 0)::DOUBLE AS sessions, count(*) FILTER (evidence = 0)::DOUBLE AS "withoutEvidence",
      count(*) FILTER (passed)::DOUBLE AS passed, coalesce(sum(score) FILTER (evidence <> 0), 0) AS "scoreSum",
      coalesce(min(score) FILTER (evidence <> 0), 1) AS "scoreMin", ${tenths.join(', ')}
    FROM (${latestScores}) WHERE ${where} GROUP BY ALL ORDER BY "startsAt", metric`;
}

function toBucket(row: BucketRow): ScoreBucket {
  const { startsAt, sessions, withoutEvidence, passed, scoreSum, scoreMin } = row;
  const tenths = Array.from({ length: 10 }, (_, i) => row[`tenth${i}`] ?? 0);
  return {
    metric: toMetric(row.metric),
    startsAt,
    sessions,
    withoutEvidence,
    passed,
    scoreSum,
    scoreMin,
    tenths,
  };
}
