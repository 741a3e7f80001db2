/** Removing what telemetry told: when it is old, and with the agent whose sessions they were. */
import { TupleParam } from '@clickhouse/client';
import type { Connection } from './connection.ts';
import { readHeads } from './session-rows.ts';

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
