/**
 * What has arrived since a place in the ledger. A place is the position of the last evaluation that was seen. Positions
 * follow the clocks of the nodes: what another node received earlier and stored later lies before the place, and is passed
 * over (docs/operating/clickhouse.md).
 */
import type { Feed } from '../store.ts';
import type { Connection } from './connection.ts';
import { parseCursor, toCursor } from './cursor.ts';
import { withNotes } from './evaluation-list.ts';
import { EVALUATION_COLUMNS, fromRow, positionOf, type StoredRow } from './evaluation-rows.ts';

type Row = Omit<StoredRow, 'void'>;

const BEGINNING = '0:0:';

export async function readHead(connection: Connection, orgId: string): Promise<string> {
  const [last] = await connection.query<Pick<Row, 'received_at' | 'place' | 'evaluation_id'>>(
    `SELECT toFloat64(last.1) AS received_at, last.2 AS place, last.3 AS evaluation_id
     FROM (SELECT max((received_at, place, evaluation_id)) AS last, count() AS n FROM evaluations WHERE org_id = {orgId:String})
     WHERE n > 0`,
    { orgId },
  );
  return last ? toCursor(positionOf(last)) : BEGINNING;
}

export async function readSince(
  connection: Connection,
  orgId: string,
  { cursor, limit }: { cursor: string; limit: number },
): Promise<Feed> {
  const rows = await connection.query<Row>(
    `SELECT ${EVALUATION_COLUMNS} FROM evaluations
     WHERE org_id = {orgId:String} AND evaluations.received_at >= {at:Int64}
       AND (evaluations.received_at, place, evaluation_id) > ({at:Int64}, {place:UInt32}, {id:String})
     ORDER BY evaluations.received_at, place, evaluation_id LIMIT ${limit}`,
    { orgId, ...parseCursor(cursor) },
  );
  const last = rows.at(-1);
  const stored = await withNotes(connection, orgId, rows);
  return {
    items: stored.map((row) => ({ cursor: toCursor(positionOf(row)), evaluation: fromRow(row) })),
    cursor: last ? toCursor(positionOf(last)) : cursor,
  };
}
