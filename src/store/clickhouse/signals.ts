/** Reports on the traces of sessions. A session is one range of the table, and folded as every engine folds it. */
import { randomUUID } from 'node:crypto';
import { SIGNALS } from '../../core/signals.ts';
import { bySession, foldReports, isKnownReport } from '../fold-reports.ts';
import type { SessionFilter, SignalReport, Signals, StoredReport } from '../store.ts';
import { insertChange, readAgents } from './agents.ts';
import type { Arrival } from './arrival.ts';
import type { Connection, Parameters } from './connection.ts';
import { parseCursor, toCursor } from './cursor.ts';
import type { WriteQueue } from './write-queue.ts';

export interface SessionContext {
  connection: Connection;
  queue: WriteQueue;
  sessionArrival: Arrival;
}

export interface ReportRow {
  org_id: string;
  session_id: string;
  received_at: number;
  place: number;
  trace_id: string;
  agent_id: string | null;
  confidence: number | null;
  loop_detection: number | null;
  tool_correctness: number | null;
  coherence: number | null;
  started_at: number | null;
  tags: string[];
  source: string;
}

export const REPORT_COLUMNS = `org_id, session_id, toFloat64(received_at) AS received_at, place, trace_id, agent_id, confidence,
  loop_detection, tool_correctness, coherence, started_at, tags, source`;

const OLDEST_FIRST = 'ORDER BY signal_reports.received_at, place';

export function createSignals(context: SessionContext): Signals {
  const { connection, queue } = context;
  return {
    append: (orgId, batch) => queue.run(() => appendReports(context, { orgId, batch })),

    async read(orgId, sessionIds) {
      const found = await reportsOn(connection, orgId, sessionIds);
      return new Map([...found].map(([sessionId, reports]) => [sessionId, foldReports(sessionId, reports)]));
    },

    async readAt(orgId, sessionId, revision) {
      const reports = (await reportsOn(connection, orgId, [sessionId])).get(sessionId) ?? [];
      return revision < 1 || reports.length < revision
        ? null
        : foldReports(sessionId, reports.slice(0, revision));
    },

    async history(orgId, sessionId, { cursor, limit }) {
      const after = cursor == null ? null : parseCursor(cursor);
      const older = 'AND (signal_reports.received_at, place) < ({at:Int64}, {place:UInt32})';
      const rows = await connection.query<ReportRow>(
        `SELECT ${REPORT_COLUMNS} FROM signal_reports
         WHERE org_id = {orgId:String} AND session_id = {sessionId:String} ${after ? older : ''}
         ORDER BY signal_reports.received_at DESC, place DESC LIMIT ${limit + 1}`,
        { orgId, sessionId, ...(after && { at: after.at, place: after.place }) },
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      const position = last && { at: last.received_at, place: last.place, id: '' };
      return {
        items: items.map(fromReportRow),
        nextCursor: position && rows.length > limit ? toCursor(position) : null,
      };
    },

    async select(orgId, filter, limit) {
      const { sql, parameters } = selection(filter);
      return connection.query(`${sql} ORDER BY session_id LIMIT ${Number(limit)}`, { orgId, ...parameters });
    },
  };
}

/** Appends what one caller brings; restoring does so too, with reports that know when they were received. */
export async function appendReports(
  { connection, sessionArrival }: SessionContext,
  { orgId, batch }: { orgId: string; batch: readonly (SignalReport & { receivedAt?: number })[] },
): Promise<{ accepted: number; unchanged: number }> {
  const known = await reportsOn(connection, orgId, [...new Set(batch.map(({ sessionId }) => sessionId))]);
  const rows: ReportRow[] = [];
  for (const report of batch) {
    const earlier = known.get(report.sessionId) ?? [];
    if (isKnownReport(earlier, report)) continue;
    const { at, place } = sessionArrival.next(report.receivedAt);
    known.set(report.sessionId, [...earlier, { ...report, receivedAt: at }]);
    rows.push(toReportRow(orgId, report, { at, place }));
  }
  await meetAgents(connection, orgId, rows);
  await connection.insert('signal_reports', rows, randomUUID());
  return { accepted: rows.length, unchanged: batch.length - rows.length };
}

/** Agents are created by their first use. */
export async function meetAgents(
  connection: Connection,
  orgId: string,
  rows: readonly { agent_id: string | null; received_at: number }[],
): Promise<void> {
  const firsts = new Map<string, number>();
  for (const { agent_id, received_at } of rows) {
    if (agent_id !== null && !firsts.has(agent_id)) firsts.set(agent_id, received_at);
  }
  if (firsts.size === 0) return;
  const met = await readAgents(connection, {
    where: 'org_id = {orgId:String} AND agent_id IN {ids:Array(String)}',
    parameters: { orgId, ids: [...firsts.keys()] },
  });
  for (const { agentId } of met) firsts.delete(agentId);
  if (firsts.size === 0) return;
  const news = [...firsts].map(([agentId, createdAt]) => ({ orgId, agentId, version: 1, createdAt }));
  await insertChange(connection, ...news);
}

async function reportsOn(
  connection: Connection,
  orgId: string,
  sessionIds: readonly string[],
): Promise<Map<string, StoredReport[]>> {
  const rows = await connection.query<ReportRow>(
    `SELECT ${REPORT_COLUMNS} FROM signal_reports
     WHERE org_id = {orgId:String} AND session_id IN {ids:Array(String)} ${OLDEST_FIRST}`,
    { orgId, ids: sessionIds },
  );
  return bySession(rows.map(fromReportRow));
}

function toReportRow(
  orgId: string,
  report: SignalReport,
  { at, place }: { at: number; place: number },
): ReportRow {
  const { signals } = report;
  return {
    org_id: orgId,
    session_id: report.sessionId,
    received_at: at,
    place,
    trace_id: report.traceId,
    agent_id: report.agentId,
    confidence: signals.confidence ?? null,
    loop_detection: signals.loop_detection ?? null,
    tool_correctness: signals.tool_correctness ?? null,
    coherence: signals.coherence ?? null,
    started_at: report.startedAt,
    tags: [...report.tags],
    source: report.source,
  };
}

export function fromReportRow(row: ReportRow): StoredReport {
  const signals: { [signal in (typeof SIGNALS)[number]]?: number } = {};
  for (const signal of SIGNALS) {
    const value = row[signal];
    if (value !== null) signals[signal] = value;
  }
  return {
    sessionId: row.session_id,
    traceId: row.trace_id,
    agentId: row.agent_id,
    signals,
    startedAt: row.started_at,
    tags: row.tags,
    source: row.source,
    receivedAt: row.received_at,
  };
}

/** Traces first, then sessions: an error counts as long as no later report has corrected it. */
function selection({ sessionIds, agentId, tags, from, to, hasErrors, tracesMin }: SessionFilter) {
  const parameters: Parameters = {};
  const having: string[] = [];
  const where = (condition: string, values: Parameters) => {
    having.push(condition);
    Object.assign(parameters, values);
  };
  if (agentId !== undefined)
    where('argMaxIf(agent, agent_at, isNotNull(agent)) = {agentId:String}', { agentId });
  if (tags?.length) where('hasAll(groupUniqArrayArray(tags), {tags:Array(String)})', { tags });
  if (from !== undefined) where('max(last_at) >= {from:Float64}', { from });
  if (to !== undefined) where('max(last_at) < {to:Float64}', { to });
  if (tracesMin !== undefined) where('count() >= {tracesMin:UInt64}', { tracesMin });
  if (hasErrors !== undefined) where(`${hasErrors ? '' : 'NOT '}${ERRED}`, {});
  if (sessionIds !== undefined) parameters.sessionIds = sessionIds;
  const sql = `
    SELECT session_id AS sessionId, toFloat64(count()) AS traces FROM (
      SELECT session_id, trace_id,
        argMaxIf(tool_correctness, (signal_reports.received_at, place), isNotNull(tool_correctness)) AS tool,
        max(coalesce(started_at, toFloat64(signal_reports.received_at))) AS last_at,
        argMaxIf(agent_id, (signal_reports.received_at, place), isNotNull(agent_id)) AS agent,
        maxIf((signal_reports.received_at, place), isNotNull(agent_id)) AS agent_at, groupUniqArrayArray(signal_reports.tags) AS tags
      FROM signal_reports
      WHERE org_id = {orgId:String} ${sessionIds === undefined ? '' : 'AND session_id IN {sessionIds:Array(String)}'}
      GROUP BY session_id, trace_id
    ) GROUP BY session_id ${having.length === 0 ? '' : `HAVING ${having.join(' AND ')}`}`;
  return { sql, parameters };
}

const ERRED = `(max(coalesce(tool, 1) < 1) OR session_id IN (
  SELECT assumeNotNull(session_id) FROM evaluations
  WHERE org_id = {orgId:String} AND NOT passed AND isNotNull(session_id) AND (agent_id, evaluation_id) NOT IN (
    SELECT agent_id, evaluation_id FROM voids WHERE org_id = {orgId:String}
  )))`;
