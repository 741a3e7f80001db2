/** What telemetry told: everything in rows, and back. */
import { randomUUID } from 'node:crypto';
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
} from './session-rows.ts';
import { meetAgents } from './signals.ts';
import { fromVerdictRow, LATEST_VERDICTS, type VerdictRow } from './verdicts.ts';

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
