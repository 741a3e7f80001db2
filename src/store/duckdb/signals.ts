/** Reports on the traces of sessions. A session is read by its mark, and folded as every engine folds it. */
import { DOUBLE, type DuckDBConnection, INTEGER, VARCHAR } from '@duckdb/node-api';
import { SIGNALS } from '../../core/signals.ts';
import { bySession, foldReports, isKnownReport, reportText } from '../fold-reports.ts';
import type { SessionFilter, SignalReport, Signals, StoredReport } from '../store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { parseSeqCursor } from './cursor.ts';
import type { Directory } from './directory.ts';
import { type Fingerprints, fingerprintOf } from './fingerprints.ts';
import type { Names } from './names.ts';
import { numberList, query } from './query.ts';
import { fromTagText, toTagText } from './tag-text.ts';
import type { AppendTable, Transaction } from './transaction.ts';

export interface SignalContext {
  reader: DuckDBConnection;
  queue: CommitQueue;
  directory: Directory;
  names: Names;
  /** Of whole reports. */
  fingerprints: Fingerprints;
  seed: number;
  clock: () => number;
  arrival: { nextSeq: number };
}

// biome-ignore format: in the order of the columns, as the migration has them.
const SIGNAL_REPORTS: AppendTable = {
  name: 'signal_reports',
  types: [
    DOUBLE, DOUBLE, DOUBLE, INTEGER, INTEGER, VARCHAR, VARCHAR, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, VARCHAR,
    INTEGER, DOUBLE,
  ],
};

export const REPORT_COLUMNS = `seq, org_no AS "orgNo", agent_no AS "agentNo", session_id AS "sessionId",
  trace_id AS "traceId", confidence, loop_detection, tool_correctness, coherence, started_at AS "startedAt", tags,
  source_no AS "sourceNo", received_at AS "receivedAt"`;

export interface ReportRow {
  seq: number;
  orgNo: number;
  agentNo: number | null;
  sessionId: string;
  traceId: string;
  confidence: number | null;
  loop_detection: number | null;
  tool_correctness: number | null;
  coherence: number | null;
  startedAt: number | null;
  tags: string;
  sourceNo: number;
  receivedAt: number;
}

export function createSignals(context: SignalContext): Signals {
  const { reader, queue, names, seed } = context;

  async function reportsOn(
    orgId: string,
    sessionIds: readonly string[],
  ): Promise<Map<string, StoredReport[]>> {
    const marks = sessionIds.map((sessionId) => sessionMark(orgId, sessionId, seed));
    const rows = await query<ReportRow>(reader, ofMarks(names.numberOf(orgId), marks));
    const wanted = new Set(sessionIds);
    return bySession(
      rows.map((row) => fromReportRow(row, context)).filter(({ sessionId }) => wanted.has(sessionId)),
    );
  }

  return {
    append: (orgId, batch) =>
      queue.write((transaction) => appendReports(transaction, context, { orgId, batch }), batch.length),

    async read(orgId, sessionIds) {
      const found = await reportsOn(orgId, sessionIds);
      return new Map([...found].map(([sessionId, reports]) => [sessionId, foldReports(sessionId, reports)]));
    },

    async readAt(orgId, sessionId, revision) {
      const reports = (await reportsOn(orgId, [sessionId])).get(sessionId) ?? [];
      return revision < 1 || reports.length < revision
        ? null
        : foldReports(sessionId, reports.slice(0, revision));
    },

    async history(orgId, sessionId, { cursor, limit }) {
      const before = parseSeqCursor(cursor);
      const rows = await query<ReportRow>(
        reader,
        `SELECT ${REPORT_COLUMNS} FROM signal_reports
         WHERE mark = ${sessionMark(orgId, sessionId, seed)} AND org_no = ${names.numberOf(orgId)}
           AND session_id = $sessionId ${before === null ? '' : `AND seq < ${before}`}
         ORDER BY seq DESC LIMIT ${limit + 1}`,
        { sessionId },
      );
      const items = rows.slice(0, limit);
      return {
        items: items.map((row) => fromReportRow(row, context)),
        nextCursor: rows.length > limit ? String(items.at(-1)?.seq) : null,
      };
    },

    async select(orgId, filter, limit) {
      const marks = filter.sessionIds?.map((sessionId) => sessionMark(orgId, sessionId, seed));
      const agentNo =
        filter.agentId === undefined ? -1 : context.directory.find(orgId, filter.agentId)?.agentNo;
      const found = await query<{ sessionId: string; traces: number }>(
        reader,
        selection({ filter, marks, limit, orgNo: names.numberOf(orgId), agentNo: agentNo ?? -1 }),
        { ...tagValues(filter), ...(filter.hasErrors !== undefined && { orgId }) },
      );
      const wanted = filter.sessionIds && new Set(filter.sessionIds);
      return wanted ? found.filter(({ sessionId }) => wanted.has(sessionId)) : found;
    },
  };
}

/**
 * Appends within a transaction of the caller's; restoring does so too, with reports that know when they were received:
 * of those one is left alone when the ledger has it from the same moment.
 */
export async function appendReports(
  transaction: Transaction,
  context: SignalContext,
  { orgId, batch }: { orgId: string; batch: readonly (SignalReport & { receivedAt?: number })[] },
): Promise<() => { accepted: number; unchanged: number }> {
  const { names, directory, fingerprints, seed, clock, arrival } = context;
  const texts = batch.map((report) => fingerprintOf(`${orgId}\n${reportText(report)}`, seed));
  const again = batch.filter((_, i) => !fingerprints.add(texts[i] as number));
  const known = again.length === 0 ? null : await knownReports(transaction, context, { orgId, again });
  let unchanged = 0;
  batch.forEach((report, i) => {
    const earlier = known?.get(report.sessionId);
    if (earlier && isKnownReport(earlier, report)) {
      unchanged++;
      return;
    }
    const receivedAt = report.receivedAt ?? clock();
    earlier?.push({ ...report, receivedAt });
    const agent =
      report.agentId === null
        ? null
        : directory.ensure(transaction, orgId, { agentId: report.agentId, createdAt: receivedAt });
    transaction.append(SIGNAL_REPORTS, [
      arrival.nextSeq++,
      texts[i] as number,
      sessionMark(orgId, report.sessionId, seed),
      names.ensure(transaction, orgId),
      agent?.agentNo ?? null,
      report.sessionId,
      report.traceId,
      ...SIGNALS.map((signal) => report.signals[signal] ?? null),
      report.startedAt,
      toTagText(report.tags),
      names.ensure(transaction, report.source),
      receivedAt,
    ]);
  });
  return () => ({ accepted: batch.length - unchanged, unchanged });
}

/** All reports on the sessions of those reports of a batch that may have come before. */
async function knownReports(
  transaction: Transaction,
  context: SignalContext,
  { orgId, again }: { orgId: string; again: readonly SignalReport[] },
): Promise<Map<string, StoredReport[]>> {
  const marks = again.map(({ sessionId }) => sessionMark(orgId, sessionId, context.seed));
  const rows = await transaction.query<ReportRow>(ofMarks(context.names.numberOf(orgId), marks));
  return bySession(rows.map((row) => fromReportRow(row, context)));
}

export function fromReportRow(row: ReportRow, { directory, names }: SignalContext): StoredReport {
  const signals: { [signal in (typeof SIGNALS)[number]]?: number } = {};
  for (const signal of SIGNALS) {
    const value = row[signal];
    if (value !== null) signals[signal] = value;
  }
  return {
    sessionId: row.sessionId,
    traceId: row.traceId,
    agentId: row.agentNo === null ? null : (directory.ofNumber(row.agentNo)?.agentId ?? null),
    signals,
    startedAt: row.startedAt,
    tags: fromTagText(row.tags),
    source: names.textOf(row.sourceNo) ?? '',
    receivedAt: row.receivedAt,
  };
}

/** A session within all orgs, as a number; no org id has a line break in it. */
export function sessionMark(orgId: string, sessionId: string, seed: number): number {
  return fingerprintOf(`${orgId}\n${sessionId}`, seed);
}

function ofMarks(orgNo: number, marks: readonly number[]): string {
  return `SELECT ${REPORT_COLUMNS} FROM signal_reports
    WHERE mark IN (${numberList(marks)}) AND org_no = ${orgNo} ORDER BY seq`;
}

interface Selection {
  filter: SessionFilter;
  marks: readonly number[] | undefined;
  limit: number;
  orgNo: number;
  agentNo: number;
}

/** Traces first, then sessions: an error counts as long as no later report has corrected it. */
function selection({ filter, marks, limit, orgNo, agentNo }: Selection): string {
  const { agentId, tags = [], from, to, hasErrors, tracesMin } = filter;
  const erred = `(bool_or(coalesce(tool, 1) < 1) OR session_id IN (${FAILED_SESSIONS}))`;
  const having = [
    ...(agentId === undefined
      ? []
      : [`arg_max(agent, agent_seq) FILTER (agent IS NOT NULL) IS NOT DISTINCT FROM ${agentNo}`]),
    ...tags.map((_, i) => `bool_or(contains(tags, $tag${i}))`),
    ...(from === undefined ? [] : [`max(last_at) >= ${Number(from)}`]),
    ...(to === undefined ? [] : [`max(last_at) < ${Number(to)}`]),
    ...(tracesMin === undefined ? [] : [`count(*) >= ${Number(tracesMin)}`]),
    ...(hasErrors === undefined ? [] : [hasErrors ? erred : `NOT ${erred}`]),
  ];
  return `
    SELECT session_id AS "sessionId", count(*)::DOUBLE AS traces FROM (
      SELECT session_id, trace_id, arg_max(tool_correctness, seq) FILTER (tool_correctness IS NOT NULL) AS tool,
        max(coalesce(started_at, received_at)) AS last_at,
        arg_max(agent_no, seq) FILTER (agent_no IS NOT NULL) AS agent, max(seq) FILTER (agent_no IS NOT NULL) AS agent_seq,
        ${tags.length === 0 ? "''" : "string_agg(tags, '')"} AS tags
      FROM signal_reports
      WHERE org_no = ${orgNo} ${marks === undefined ? '' : `AND mark IN (${numberList(marks)})`}
      GROUP BY session_id, trace_id
    ) GROUP BY session_id ${having.length === 0 ? '' : `HAVING ${having.join(' AND ')}`}
    ORDER BY session_id LIMIT ${Number(limit)}`;
}

const FAILED_SESSIONS = `SELECT e.session_id FROM evaluations e JOIN agents a USING (agent_no)
  LEFT JOIN voids v ON v.seq = e.seq
  WHERE a.org_id = $orgId AND NOT e.passed AND e.session_id IS NOT NULL AND v.seq IS NULL`;

function tagValues({ tags = [] }: SessionFilter): Record<string, string> {
  return Object.fromEntries(tags.map((tag, i) => [`tag${i}`, toTagText([tag])]));
}
