/** What telemetry told of sessions. Rows go in column by column; a session is read by its mark, and joined by its readers. */
import { BOOLEAN, DOUBLE, type DuckDBConnection, INTEGER, UTINYINT, VARCHAR } from '@duckdb/node-api';
import type { SessionHead } from '../../core/session-head.ts';
import type { ArrivalTimes } from '../arrival-times.ts';
import { inOrder, joinHeads, orNull, ReportMark } from '../event-reports.ts';
import type { BriefFilter, EventReport, SessionBrief, Sessions, StoredHead, Telemetry } from '../store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { unknownCursor } from './cursor.ts';
import type { Directory } from './directory.ts';
import { fingerprintOf } from './fingerprints.ts';
import type { Names } from './names.ts';
import { numberList, query } from './query.ts';
import type { Recent } from './recent.ts';
import { sessionMark } from './signals.ts';
import type { AppendTable, Transaction } from './transaction.ts';

export interface TelemetryContext {
  reader: DuckDBConnection;
  queue: CommitQueue;
  directory: Directory;
  names: Names;
  recent: Recent;
  arrivals: ArrivalTimes;
  seed: number;
}

// biome-ignore format: in the order of the columns, as the migration has them.
const SESSION_HEADS: AppendTable = {
  name: 'session_heads',
  types: [
    DOUBLE, DOUBLE, INTEGER, VARCHAR, INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, DOUBLE, DOUBLE, BOOLEAN, BOOLEAN,
    DOUBLE,
  ],
};

// biome-ignore format: in the order of the columns, as the migration has them.
const SESSION_EVENTS: AppendTable = {
  name: 'session_events',
  types: [
    DOUBLE, DOUBLE, DOUBLE, UTINYINT, UTINYINT, UTINYINT, INTEGER, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE,
    DOUBLE,
  ],
};

export const HEAD_COLUMNS = `mark, org_no AS "orgNo", session_id AS "sessionId", masque_no AS "masqueNo", agent_no AS "agentNo",
  agent_rank AS "agentRank", dialects_no AS "dialectsNo", entrypoint_no AS "entrypointNo", first_at AS "firstAt",
  last_at AS "lastAt", ended, detailed, received_at AS "receivedAt"`;

export interface HeadRow
  extends Pick<
    StoredHead,
    'sessionId' | 'agentRank' | 'firstAt' | 'lastAt' | 'ended' | 'detailed' | 'receivedAt'
  > {
  mark: number;
  orgNo: number;
  masqueNo: number;
  agentNo: number | null;
  dialectsNo: number;
  entrypointNo: number;
}

export const REPORT_COLUMNS = `mark, report, fingerprint, kind, outcome, source, name_no AS "nameNo", happened_at AS "at", amount, cost,
  input_tokens AS t0, output_tokens AS t1, cache_read_tokens AS t2, cache_write_tokens AS t3`;

export interface EventRow extends Pick<EventReport, 'fingerprint' | 'kind' | 'outcome' | 'source' | 'at'> {
  mark: number;
  report: number;
  nameNo: number;
  amount: number;
  cost: number;
  t0: number;
  t1: number;
  t2: number;
  t3: number;
}

export function createSessions(context: TelemetryContext): Sessions {
  const { reader, queue, names, directory, seed } = context;
  return {
    append: (orgId, telemetry) =>
      queue.write(
        async (transaction) => appendTelemetry(transaction, context, { orgId, telemetry }),
        telemetry.events.count + telemetry.sessions.length,
      ),

    async read(orgId, sessionIds) {
      const marks = sessionIds.map((sessionId) => sessionMark(orgId, sessionId, seed));
      const rows = await query<HeadRow>(
        reader,
        `SELECT ${HEAD_COLUMNS} FROM session_heads
         WHERE session_mark IN (${numberList(marks)}) AND org_no = ${names.numberOf(orgId)}`,
      );
      const wanted = new Set(sessionIds);
      const heads = joinHeads(
        rows.filter(({ sessionId }) => wanted.has(sessionId)).map((row) => fromHeadRow(row, context)),
      );
      const own = new Map(heads.map((head) => [partMark(orgId, head, seed), head]));
      const events = await query<EventRow>(
        reader,
        `SELECT DISTINCT ${REPORT_COLUMNS} FROM session_events WHERE mark IN (${numberList(own.keys())})`,
      );
      const reports = new Map<number, EventReport[]>([...own.keys()].map((mark) => [mark, []]));
      for (const row of events) reports.get(row.mark)?.push(fromEventRow(row, names));
      return [...own].map(([mark, head]) => ({ head, events: inOrder(reports.get(mark) ?? []) }));
    },

    async list(orgId, filter, { cursor, limit }) {
      const rows = await query<{ sessionId: string; agentNo: number | null; lastAt: number }>(
        reader,
        briefs(filter, {
          orgNo: names.numberOf(orgId),
          agentNo: filter.agentId === undefined ? -1 : (directory.find(orgId, filter.agentId)?.agentNo ?? -1),
          after: parsePlace(cursor),
          limit,
        }),
        cursor == null ? {} : { sessionId: parsePlace(cursor)?.sessionId ?? '' },
      );
      const items = rows.slice(0, limit).map(
        ({ sessionId, agentNo, lastAt }): SessionBrief => ({
          sessionId,
          agentId: agentNo === null ? null : (directory.ofNumber(agentNo)?.agentId ?? null),
          lastAt,
        }),
      );
      const last = items.at(-1);
      return { items, nextCursor: last && rows.length > limit ? `${last.lastAt}:${last.sessionId}` : null };
    },

    async due(quietSince, limit) {
      const rows = await query<{ orgNo: number; sessionId: string }>(
        reader,
        `SELECT "orgNo", "sessionId" FROM (
           SELECT org_no AS "orgNo", session_mark, any_value(session_id) AS "sessionId", max(received_at) AS received_at,
             bool_or(ended) AS ended
           FROM session_heads GROUP BY org_no, session_mark
         ) LEFT JOIN (
           SELECT session_mark, max(received_at) AS judged_to FROM session_verdicts GROUP BY session_mark
         ) USING (session_mark)
         WHERE received_at > coalesce(judged_to, -1) AND (ended OR received_at <= ${Number(quietSince)})
         ORDER BY received_at LIMIT ${Number(limit)}`,
      );
      return rows.map(({ orgNo, sessionId }) => ({ orgId: names.textOf(orgNo) ?? '', sessionId }));
    },
  };
}

/** Within a transaction of the caller's. What was stored a moment ago is left out; were it not, it would do no harm. */
function appendTelemetry(
  transaction: Transaction,
  context: TelemetryContext,
  { orgId, telemetry }: { orgId: string; telemetry: Telemetry },
): () => void {
  const receivedAt = context.arrivals.next();
  const marks = telemetry.sessions.map((head) => {
    const mark = partMark(orgId, head, context.seed);
    appendHead(transaction, context, { orgId, mark, head: { ...head, receivedAt } });
    return mark;
  });
  const stored = appendEvents(transaction, context, { telemetry, marks });
  return () => {
    for (const one of stored) context.recent.add(one);
  };
}

export function appendHead(
  transaction: Transaction,
  { names, directory, seed }: TelemetryContext,
  { orgId, mark, head }: { orgId: string; mark: number; head: Readonly<StoredHead> },
): void {
  const { agent: agentId, receivedAt } = head;
  const agent =
    agentId === '' ? null : directory.ensure(transaction, orgId, { agentId, createdAt: receivedAt });
  transaction.append(SESSION_HEADS, [
    mark,
    sessionMark(orgId, head.sessionId, seed),
    names.ensure(transaction, orgId),
    head.sessionId,
    names.ensure(transaction, head.masque),
    agent?.agentNo ?? null,
    head.agentRank,
    names.ensure(transaction, head.dialects.join(' ')),
    names.ensure(transaction, head.entrypoint),
    head.firstAt,
    head.lastAt,
    head.ended,
    head.detailed,
    receivedAt,
  ]);
}

const reportMark = new ReportMark();

/** `marks` are those of the sessions. Answers with the fingerprints of what it stored. */
export function appendEvents(
  transaction: Transaction,
  { names, recent }: TelemetryContext,
  { telemetry, marks }: { telemetry: Pick<Telemetry, 'names' | 'events'>; marks: readonly number[] },
): number[] {
  const { events } = telemetry;
  const { columns } = events;
  const into = transaction.columnsOf(SESSION_EVENTS);
  const numbers = telemetry.names.map((name) => names.ensure(transaction, name) as number);
  const stored: number[] = [];
  const values = new Array<number>(14).fill(0);
  for (let row = 0; row < events.count; row++) {
    const mark = marks[columns.session[row] as number] as number;
    values[2] = columns.fingerprint[row] as number;
    values[3] = columns.kind[row] as number;
    values[4] = columns.outcome[row] as number;
    values[5] = columns.source[row] as number;
    values[7] = columns.at[row] as number;
    values[8] = columns.amount[row] as number;
    values[9] = columns.cost[row] as number;
    for (let which = 0; which < 4; which++) values[10 + which] = events.token(row, which);
    reportMark.start();
    for (const i of TOLD_BEFORE_NAME) reportMark.number(values[i] as number);
    reportMark.text(telemetry.names[columns.name[row] as number] as string);
    for (const i of TOLD_AFTER_NAME) reportMark.number(values[i] as number);
    const report = reportMark.value;
    // The same report of two sessions is not the same.
    const once = reportMark.number(mark).value;
    if (recent.has(once)) continue;
    stored.push(once);
    values[0] = mark;
    values[1] = report;
    values[6] = numbers[columns.name[row] as number] as number;
    for (let i = 0; i < values.length; i++) (into[i] as number[]).push(values[i] as number);
  }
  return stored;
}

/** The columns that make a report's own mark, in the order in which `markOf` takes them. */
const TOLD_BEFORE_NAME = [2, 3, 4, 5];
const TOLD_AFTER_NAME = [7, 8, 9, 10, 11, 12, 13];

/** A session with one of its masques, as a number. */
export function partMark(
  orgId: string,
  { sessionId, masque }: Pick<SessionHead, 'sessionId' | 'masque'>,
  seed: number,
) {
  return fingerprintOf(`${orgId}\n${sessionId}\n${masque}`, seed);
}

export function fromHeadRow(row: HeadRow, { names, directory }: TelemetryContext): StoredHead {
  const dialects = names.textOf(row.dialectsNo) ?? '';
  return {
    sessionId: row.sessionId,
    masque: names.textOf(row.masqueNo) ?? '',
    agent: row.agentNo === null ? '' : (directory.ofNumber(row.agentNo)?.agentId ?? ''),
    agentRank: row.agentRank,
    dialects: dialects === '' ? [] : dialects.split(' '),
    entrypoint: names.textOf(row.entrypointNo) ?? '',
    firstAt: row.firstAt,
    lastAt: row.lastAt,
    ended: row.ended,
    detailed: row.detailed,
    receivedAt: row.receivedAt,
  };
}

export function fromEventRow(row: EventRow, names: Names): EventReport {
  const tokens = [row.t0, row.t1, row.t2, row.t3].map(orNull);
  return {
    fingerprint: row.fingerprint,
    kind: row.kind,
    outcome: row.outcome,
    source: row.source,
    name: names.textOf(row.nameNo) ?? '',
    at: row.at,
    amount: orNull(row.amount),
    cost: orNull(row.cost),
    tokens: tokens.every((count) => count === null) ? null : tokens,
  };
}

interface Listing {
  orgNo: number;
  agentNo: number;
  after: { lastAt: number; sessionId: string } | null;
  limit: number;
}

/** The owner by the best name there is: the records' own by rank, then what reports and verdicts say. */
function briefs({ agentId, from, to }: BriefFilter, { orgNo, agentNo, after, limit }: Listing): string {
  const having = [
    ...(agentId === undefined ? [] : [`"agentNo" = ${agentNo}`]),
    ...(from === undefined ? [] : [`"lastAt" >= ${Number(from)}`]),
    ...(to === undefined ? [] : [`"lastAt" < ${Number(to)}`]),
    ...(after === null
      ? []
      : [`("lastAt" < ${after.lastAt} OR ("lastAt" = ${after.lastAt} AND "sessionId" < $sessionId))`]),
  ];
  return `
    SELECT * FROM (
      SELECT told.session_id AS "sessionId", max(told.last_at) AS "lastAt",
        arg_min(told.agent_no, (-told.agent_rank, a.agent_id)) FILTER (told.agent_no IS NOT NULL) AS "agentNo"
      FROM (
        SELECT session_id, agent_no, agent_rank, last_at FROM session_heads WHERE org_no = ${orgNo}
        UNION ALL
        SELECT session_id, agent_no, -1, coalesce(started_at, received_at) FROM signal_reports WHERE org_no = ${orgNo}
        UNION ALL
        SELECT session_id, agent_no, -1, ended_at FROM session_verdicts WHERE org_no = ${orgNo}
      ) told LEFT JOIN agents a USING (agent_no) GROUP BY told.session_id
    ) ${having.length === 0 ? '' : `WHERE ${having.join(' AND ')}`}
    ORDER BY "lastAt" DESC, "sessionId" DESC LIMIT ${Number(limit) + 1}`;
}

function parsePlace(cursor: string | null | undefined): Listing['after'] {
  if (cursor == null) return null;
  const [, lastAt, sessionId] = /^(-?\d+(?:\.\d+)?):(.*)$/s.exec(cursor) ?? [];
  if (lastAt === undefined || sessionId === undefined) throw unknownCursor();
  return { lastAt: Number(lastAt), sessionId };
}
