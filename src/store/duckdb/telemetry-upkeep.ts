/** What telemetry told: removing what is old, and everything in rows and back. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { isKnownHead, joinHeads, markOf, toColumns } from '../event-reports.ts';
import type { EventReport, LedgerRow, StoredHead } from '../store.ts';
import { numberList, query, streamRows } from './query.ts';
import {
  appendEvents,
  appendHead,
  type EventRow,
  fromEventRow,
  fromHeadRow,
  HEAD_COLUMNS,
  type HeadRow,
  partMark,
  REPORT_COLUMNS,
  type TelemetryContext,
} from './sessions.ts';
import type { Transaction } from './transaction.ts';
import { fromVerdictRow, LATEST_VERDICTS, type VerdictRow } from './verdicts.ts';

/** Removes sessions that have been quiet since a time, and joins what is left of each; answers how many events went. */
export async function pruneTelemetry(transaction: Transaction, before: number): Promise<number> {
  const quiet = `SELECT mark FROM session_heads GROUP BY mark HAVING max(received_at) < ${Number(before)}`;
  const gone = await transaction.query(`DELETE FROM session_events WHERE mark IN (${quiet}) RETURNING 1`);
  await transaction.run(`DELETE FROM session_heads WHERE mark IN (${quiet})`);
  return gone.length;
}

/** Many deliveries leave many heads of a session: from then on it has one. */
export async function joinStoredHeads(transaction: Transaction, context: TelemetryContext): Promise<void> {
  const several = await transaction.query<{ mark: number; orgNo: number }>(
    'SELECT mark, any_value(org_no) AS "orgNo" FROM session_heads GROUP BY mark HAVING count(*) > 1',
  );
  for (let start = 0; start < several.length; start += JOINED_AT_ONCE) {
    const part = several.slice(start, start + JOINED_AT_ONCE);
    const marks = numberList(part.map(({ mark }) => mark));
    const rows = await transaction.query<HeadRow>(
      `SELECT ${HEAD_COLUMNS} FROM session_heads WHERE mark IN (${marks})`,
    );
    await transaction.run(`DELETE FROM session_heads WHERE mark IN (${marks})`);
    for (const { mark, orgNo } of part) {
      const orgId = context.names.textOf(orgNo) ?? '';
      const own = rows.filter((row) => row.mark === mark).map((row) => fromHeadRow(row, context));
      for (const head of joinHeads(own)) appendHead(transaction, context, { orgId, mark, head });
    }
  }
}

const JOINED_AT_ONCE = 200;

/** Removes the sessions that are an agent's: those of which no better name says that they are another's. */
export async function deleteSessionsOf(transaction: Transaction, agentNo: number): Promise<void> {
  await transaction.run(`
    CREATE OR REPLACE TEMP TABLE doomed_sessions AS
    SELECT mark FROM session_heads h LEFT JOIN agents a USING (agent_no)
    WHERE mark IN (SELECT mark FROM session_heads WHERE agent_no = ${agentNo})
    GROUP BY mark HAVING arg_min(h.agent_no, (-h.agent_rank, a.agent_id)) FILTER (h.agent_no IS NOT NULL) = ${agentNo}`);
  for (const table of ['session_events', 'session_heads']) {
    await transaction.run(`DELETE FROM ${table} WHERE mark IN (SELECT mark FROM doomed_sessions)`);
  }
  await transaction.run('DROP TABLE doomed_sessions');
  // Sessions of others may have gone by its name as well, and its number can be given out again.
  await transaction.run(`UPDATE session_heads SET agent_no = NULL WHERE agent_no = ${agentNo}`);
  await transaction.run(`DELETE FROM session_verdicts WHERE agent_no = ${agentNo}`);
}

export async function* exportTelemetry(
  connection: DuckDBConnection,
  context: TelemetryContext,
): AsyncGenerator<LedgerRow> {
  const { names } = context;
  const orgOf = (orgNo: number) => names.textOf(orgNo) ?? '';
  const places = new Map<number, { orgId: string; sessionId: string; masque: string }>();
  const rows = await query<HeadRow>(connection, `SELECT ${HEAD_COLUMNS} FROM session_heads ORDER BY org_no`);
  for (const orgNo of new Set(rows.map((row) => row.orgNo))) {
    const orgId = orgOf(orgNo);
    const own = rows.filter((row) => row.orgNo === orgNo).map((row) => fromHeadRow(row, context));
    for (const row of joinHeads(own)) {
      const { sessionId, masque } = row;
      places.set(partMark(orgId, row, context.seed), { orgId, sessionId, masque });
      yield { kind: 'session_head', orgId, row };
    }
  }
  const events = `SELECT DISTINCT ${REPORT_COLUMNS} FROM session_events ORDER BY mark, fingerprint, report`;
  for await (const row of streamRows<EventRow>(connection, events)) {
    const place = places.get(row.mark);
    if (!place) continue;
    const { orgId, ...session } = place;
    yield { kind: 'session_event', orgId, row: { ...session, ...fromEventRow(row, names) } };
  }
  for await (const row of streamRows<VerdictRow>(
    connection,
    `${LATEST_VERDICTS} ORDER BY session_id, masque`,
  )) {
    yield { kind: 'session_verdict', orgId: orgOf(row.orgNo), row: fromVerdictRow(row, context) };
  }
}

/** Answers how many were not there. */
export async function restoreHeads(
  transaction: Transaction,
  context: TelemetryContext,
  { orgId, batch }: { orgId: string; batch: readonly StoredHead[] },
): Promise<number> {
  const marks = batch.map((head) => partMark(orgId, head, context.seed));
  const found = await transaction.query<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM session_heads WHERE mark IN (${numberList(marks)})`,
  );
  const known = new Map(
    joinHeads(found.map((row) => fromHeadRow(row, context))).map((head) => [
      partMark(orgId, head, context.seed),
      head,
    ]),
  );
  let restored = 0;
  batch.forEach((head, i) => {
    const mark = marks[i] as number;
    if (isKnownHead(known.get(mark), head)) return;
    appendHead(transaction, context, { orgId, mark, head });
    restored++;
  });
  return restored;
}

export async function restoreEvents(
  transaction: Transaction,
  context: TelemetryContext,
  {
    orgId,
    batch,
  }: { orgId: string; batch: readonly (EventReport & { sessionId: string; masque: string })[] },
): Promise<number> {
  const byMark = new Map<number, EventReport[]>();
  for (const { sessionId, masque, ...report } of batch) {
    const mark = partMark(orgId, { sessionId, masque }, context.seed);
    const own = byMark.get(mark);
    if (own) own.push(report);
    else byMark.set(mark, [report]);
  }
  const found = await transaction.query<{ mark: number; report: number }>(
    `SELECT mark, report FROM session_events WHERE mark IN (${numberList(byMark.keys())})`,
  );
  const known = new Set(found.map(({ mark, report }) => `${mark} ${report}`));
  let restored = 0;
  for (const [mark, reports] of byMark) {
    const news = reports.filter((report) => !known.has(`${mark} ${markOf(report)}`));
    restored += appendEvents(transaction, context, { telemetry: toColumns(news), marks: [mark] }).length;
  }
  return restored;
}
