/**
 * Retention of evaluations. What goes is listed, then noted with each agent (how many counted, and up to where), and then
 * removed. The counting ones that go are always the oldest of their agent, so a place says which they are: were the
 * removal cut off, reads leave them out all the same, and the next prune removes them without counting them again.
 */
import { LIMITS } from '../../core/limits.ts';
import type { Connection } from './connection.ts';

const KEY = 'org_id, agent_id, received_at, place, evaluation_id';

const LIST_DOOMED = `
  INSERT INTO doomed_evaluations (${KEY}, counting)
  SELECT ${KEY}, counting FROM (
    SELECT ${KEY}, counting, row_number() OVER (
      PARTITION BY org_id, agent_id, counting ORDER BY received_at DESC, place DESC, evaluation_id DESC
    ) AS newest
    FROM (
      SELECT ${KEY}, counts AND (received_at, place) > upto AND (org_id, agent_id, evaluation_id) NOT IN (
        SELECT org_id, agent_id, evaluation_id FROM voids
      ) AS counting
      FROM evaluations LEFT JOIN (
        SELECT org_id, agent_id, argMax((upto_at, upto_place), pruned) AS upto FROM agent_prunes GROUP BY org_id, agent_id
      ) AS prunes USING (org_id, agent_id)
      ORDER BY received_at, place LIMIT 1 BY org_id, agent_id, evaluation_id
    )
  ) WHERE received_at < {before:Float64} AND NOT (counting AND newest <= ${LIMITS.windowSize})`;

const NOTE_PRUNED = `
  INSERT INTO agent_prunes (org_id, agent_id, pruned, upto_at, upto_place)
  SELECT org_id, agent_id, max(noted) + countIf(counting), max(upto).1, max(upto).2 FROM (
    SELECT org_id, agent_id, counting, toUInt64(0) AS noted, if(counting, (received_at, place), (toInt64(0), toUInt32(0))) AS upto
    FROM doomed_evaluations
    UNION ALL
    SELECT org_id, agent_id, false, pruned, (upto_at, upto_place) FROM agent_prunes
  )
  GROUP BY org_id, agent_id HAVING countIf(counting) > 0`;

/** Removes evaluations received before a time, but for those in a window; answers how many. */
export async function pruneEvaluations(connection: Connection, before: number): Promise<number> {
  await connection.truncate('doomed_evaluations');
  await connection.command(LIST_DOOMED, { before });
  const [row] = await connection.query<{ doomed: number }>(
    'SELECT toFloat64(count()) AS doomed FROM doomed_evaluations',
  );
  if (!row || row.doomed === 0) return 0;
  await connection.command(NOTE_PRUNED);
  // A delete runs on each shard by itself, beside the list of its own.
  const doomed = connection.localName('doomed_evaluations');
  await connection.delete('evaluations', `(${KEY}) IN (SELECT ${KEY} FROM ${doomed})`);
  await connection.delete('evaluation_ids', `(${KEY}) IN (SELECT ${KEY} FROM ${doomed})`);
  const ids = 'org_id, agent_id, evaluation_id';
  await connection.delete('voids', `(${ids}) IN (SELECT ${ids} FROM ${doomed})`);
  return row.doomed;
}
