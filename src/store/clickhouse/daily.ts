/** Days of all agents of an org in one pass over their evaluations. */
import { emptyDays } from '../empty-days.ts';
import type { DayCounts } from '../store.ts';
import type { Connection } from './connection.ts';

const DAY_MS = 86_400_000;

interface DayRow {
  agent_id: string;
  day: number;
  evaluations: number;
  passed: number;
}

/** Of copies that two nodes took of one evaluation the first counts, and nothing that retention has removed. */
export async function readDaily(
  connection: Connection,
  orgId: string,
  { fromDay, days }: { fromDay: number; days: number },
): Promise<Map<string, DayCounts>> {
  const rows = await connection.query<DayRow>(
    `SELECT agent_id, toInt32(floor(first.1 / ${DAY_MS})) - {fromDay:Int32} AS day, toFloat64(count()) AS evaluations,
       toFloat64(countIf(first.3)) AS passed
     FROM (
       SELECT agent_id, evaluation_id, min((received_at, place, passed)) AS first FROM evaluations
       WHERE org_id = {orgId:String} AND counts AND evaluations.received_at >= {from:Float64} AND evaluations.received_at < {to:Float64}
         AND (agent_id, evaluation_id) NOT IN (SELECT agent_id, evaluation_id FROM voids WHERE org_id = {orgId:String})
       GROUP BY agent_id, evaluation_id
     ) AS firsts
     LEFT JOIN (
       SELECT agent_id, max((upto_at, upto_place)) AS upto FROM agent_prunes WHERE org_id = {orgId:String} GROUP BY agent_id
     ) AS prunes USING (agent_id)
     WHERE (first.1, first.2) > upto OR upto = (0, 0)
     GROUP BY agent_id, day`,
    { orgId, fromDay, from: fromDay * DAY_MS, to: (fromDay + days) * DAY_MS },
  );
  const found = new Map<string, DayCounts>();
  for (const { agent_id, day, evaluations, passed } of rows) {
    const counts = found.get(agent_id) ?? emptyDays(days);
    found.set(agent_id, counts);
    counts.evaluations[day] = evaluations;
    counts.passed[day] = passed;
  }
  return found;
}
