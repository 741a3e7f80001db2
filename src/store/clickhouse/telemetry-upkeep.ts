/** What telemetry told: removing what is old, and everything in rows and back. */
import { randomUUID } from 'node:crypto';
import { TupleParam } from '@clickhouse/client';
import { isKnownHead, joinHeads } from '../event-reports.ts';
import type { EventReport, LedgerRow, StoredHead } from '../store.ts';
import type { Connection } from './connection.ts';
import {
  type EventRow,
  fromEventRow,
  fromHeadRow,
  HEAD_COLUMNS,
  type HeadRow,
  placeOf,
  REPORT_COLUMNS,
  readHeads,
  toEventRow,
  toHeadRow,
} from './sessions.ts';
import { meetAgents } from './signals.ts';
import { fromVerdictRow, LATEST_VERDICTS, type VerdictRow } from './verdicts.ts';

/** Sessions that one statement removes. */
const REMOVED_AT_ONCE = 1_000;

/** Removes sessions that have been quiet since a time; answers how many events went. */
export async function pruneTelemetry(connection: Connection, before: number): Promise<number> {
  const quiet = await connection.query<{ orgId: string; sessionId: string; masque: string }>(
    `SELECT org_id AS orgId, session_id AS sessionId, masque FROM session_heads
     GROUP BY org_id, session_id, masque HAVING max(session_heads.received_at) < {before:Float64}`,
    { before },
  );
  let removed = 0;
  for (const orgId of new Set(quiet.map((one) => one.orgId))) {
    removed += await removeSessions(
      connection,
      orgId,
      quiet.filter((one) => one.orgId === orgId),
    );
  }
  return removed;
}

/** Removes the sessions that are an agent's: those of which no better name says that they are another's. */
export async function deleteSessionsOf(
  connection: Connection,
  { orgId, agentId }: { orgId: string; agentId: string },
): Promise<void> {
  const heads = await readHeads(
    connection,
    `org_id = {orgId:String} AND session_id IN (
       SELECT session_id FROM session_heads WHERE org_id = {orgId:String} AND agent_id = {agentId:String}
     )`,
    { orgId, agentId },
  );
  await removeSessions(
    connection,
    orgId,
    heads.filter(({ agent }) => agent === agentId),
  );
}

async function removeSessions(
  connection: Connection,
  orgId: string,
  sessions: readonly { sessionId: string; masque: string }[],
): Promise<number> {
  const where = 'org_id = {orgId:String} AND (session_id, masque) IN {keys:Array(Tuple(String, String))}';
  let removed = 0;
  for (let start = 0; start < sessions.length; start += REMOVED_AT_ONCE) {
    const part = sessions.slice(start, start + REMOVED_AT_ONCE);
    const parameters = {
      orgId,
      keys: part.map(({ sessionId, masque }) => new TupleParam([sessionId, masque])),
    };
    const [found] = await connection.query<{ count: number }>(
      `SELECT toFloat64(count()) AS count FROM session_events WHERE ${where}`,
      parameters,
    );
    removed += found?.count ?? 0;
    // By what a session is known goes last, so that a removal which was cut off can be asked for again.
    await connection.delete('session_events', where, parameters);
    await connection.delete('session_heads', where, parameters);
  }
  return removed;
}

export async function* exportTelemetry(connection: Connection): AsyncGenerator<LedgerRow> {
  const heads = connection.stream<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM session_heads ORDER BY org_id, session_id, masque`,
  );
  let own: HeadRow[] = [];
  for await (const row of heads) {
    const [first] = own;
    if (first && !isSameSession(first, row)) {
      yield* joined(own);
      own = [];
    }
    own.push(row);
  }
  yield* joined(own);
  const events = connection.stream<EventRow>(
    `SELECT DISTINCT ${REPORT_COLUMNS} FROM session_events
     ORDER BY org_id, session_id, masque, session_events.fingerprint, session_events.report`,
  );
  for await (const row of events) {
    const { org_id: orgId, session_id: sessionId, masque } = row;
    yield { kind: 'session_event', orgId, row: { sessionId, masque, ...fromEventRow(row) } };
  }
  for await (const row of connection.stream<VerdictRow>(LATEST_VERDICTS)) {
    yield { kind: 'session_verdict', orgId: row.org_id, row: fromVerdictRow(row) };
  }
}

function* joined(rows: readonly HeadRow[]): Generator<LedgerRow> {
  const orgId = rows[0]?.org_id ?? '';
  for (const row of joinHeads(rows.map(fromHeadRow))) yield { kind: 'session_head', orgId, row };
}

function isSameSession(a: HeadRow, b: HeadRow): boolean {
  return a.org_id === b.org_id && a.session_id === b.session_id && a.masque === b.masque;
}

/** Answers how many were not there. */
export async function restoreHeads(
  connection: Connection,
  { orgId, batch }: { orgId: string; batch: readonly StoredHead[] },
): Promise<number> {
  const known = await readHeads(connection, 'org_id = {orgId:String} AND session_id IN {ids:Array(String)}', {
    orgId,
    ids: [...new Set(batch.map(({ sessionId }) => sessionId))],
  });
  const byPlace = new Map(known.map((head) => [placeOf(head), head]));
  const rows = batch
    .filter((head) => !isKnownHead(byPlace.get(placeOf(head)), head))
    .map((head) => toHeadRow(orgId, head));
  await meetAgents(
    connection,
    orgId,
    rows.filter(({ agent_id }) => agent_id !== ''),
  );
  await connection.insert('session_heads', rows, randomUUID());
  return rows.length;
}

export async function restoreEvents(
  connection: Connection,
  {
    orgId,
    batch,
  }: { orgId: string; batch: readonly (EventReport & { sessionId: string; masque: string })[] },
): Promise<number> {
  const found = await connection.query<Pick<EventRow, 'session_id' | 'masque' | 'report'>>(
    `SELECT session_id, masque, toFloat64(session_events.report) AS report FROM session_events
     WHERE org_id = {orgId:String} AND session_id IN {ids:Array(String)}`,
    { orgId, ids: [...new Set(batch.map(({ sessionId }) => sessionId))] },
  );
  const known = new Set(found.map(reportKey));
  const rows: EventRow[] = [];
  for (const event of batch) {
    const row = toEventRow(orgId, event);
    if (known.has(reportKey(row))) continue;
    known.add(reportKey(row));
    rows.push(row);
  }
  await connection.insert('session_events', rows, randomUUID());
  return rows.length;
}

function reportKey({
  session_id,
  masque,
  report,
}: Pick<EventRow, 'session_id' | 'masque' | 'report'>): string {
  return `${report}\n${session_id}\n${masque}`;
}
