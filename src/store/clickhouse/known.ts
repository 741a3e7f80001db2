/** Which ids the ledger knows, and where: narrow questions to the tables that are kept for them. */
import { TupleParam } from '@clickhouse/client';
import type { Connection } from './connection.ts';

/** The first place of each evaluation that is in the ledger, by org and id on two lines. */
export async function placesOf(
  connection: Connection,
  rows: readonly { org_id: string; evaluation_id: string }[],
): Promise<Map<string, { at: number; place: number }>> {
  const found = await connection.query<{ org_id: string; evaluation_id: string; first: [number, number] }>(
    `SELECT org_id, evaluation_id, min((toFloat64(received_at), place)) AS first FROM evaluation_ids
     WHERE (org_id, evaluation_id) IN {keys:Array(Tuple(String, String))} GROUP BY org_id, evaluation_id`,
    { keys: rows.map(({ org_id, evaluation_id }) => new TupleParam([org_id, evaluation_id])) },
  );
  return new Map(found.map((row) => [evaluationKey(row), { at: row.first[0], place: row.first[1] }]));
}

export function evaluationKey({ org_id, evaluation_id }: { org_id: string; evaluation_id: string }): string {
  return `${org_id}\n${evaluation_id}`;
}

interface Revision {
  org_id: string;
  event_id: string;
  revision: number;
}

/** All revisions in the ledger of the events that are given, by org, id and revision on three lines. */
export async function revisionsOf(connection: Connection, rows: readonly Revision[]): Promise<Set<string>> {
  const found = await connection.query<Revision>(
    `SELECT org_id, event_id, toFloat64(revision) AS revision FROM event_ids
     WHERE (org_id, event_id) IN {keys:Array(Tuple(String, UUID))}`,
    { keys: rows.map(({ org_id, event_id }) => new TupleParam([org_id, event_id])) },
  );
  return new Set(found.map(revisionKey));
}

export function revisionKey({ org_id, event_id, revision }: Revision): string {
  return `${org_id}\n${event_id}\n${revision}`;
}

/**
 * Marks the days on which other revisions of these events stand: they may lose an event to a new one. Before the insert,
 * so that a crash in between leaves a mark too many and none too few.
 */
export async function markRevised(connection: Connection, rows: readonly Revision[]): Promise<void> {
  await connection.command(
    `INSERT INTO identity_marks (org_id, identity_id, day, touched_at)
     SELECT DISTINCT org_id, identity_id, toInt32(floor(toUnixTimestamp64Milli(timestamp) / 86400000)), now64(3)
     FROM event_ids WHERE (org_id, event_id) IN {keys:Array(Tuple(String, UUID))}`,
    { keys: rows.map(({ org_id, event_id }) => new TupleParam([org_id, event_id])) },
  );
}
