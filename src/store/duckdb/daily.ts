/** Days of all agents of an org in one pass over their evaluations. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { emptyDays } from '../empty-days.ts';
import type { DayCounts } from '../store.ts';
import type { Directory } from './directory.ts';

const DAY_MS = 86_400_000;
/** One number for an agent and a day of it: half as much to group by, and to hand over. */
const DAYS_MAX = 64;

export async function readDaily(
  { reader, directory }: { reader: DuckDBConnection; directory: Directory },
  orgId: string,
  { fromDay, days }: { fromDay: number; days: number },
): Promise<Map<string, DayCounts>> {
  const result = await reader.runAndReadAll(
    `SELECT agent_no * ${DAYS_MAX} + (floor(received_at / ${DAY_MS}) - $fromDay)::INTEGER AS place,
       count(*)::INTEGER, count_if(passed)::INTEGER
     FROM evaluations ANTI JOIN voids USING (seq)
       SEMI JOIN (SELECT agent_no FROM agents WHERE org_id = $orgId) USING (agent_no)
     WHERE received_at >= $from AND received_at < $to AND counts
     GROUP BY place`,
    { fromDay, from: fromDay * DAY_MS, to: (fromDay + days) * DAY_MS, orgId },
  );
  // Columns, because thousands of agents have more than a hundred thousand days.
  const [places = [], evaluations = [], passed = []] = result.getColumnsJS() as number[][];
  const byNumber = new Map<number, DayCounts>();
  const found = new Map<string, DayCounts>();
  places.forEach((place, i) => {
    const agentNo = Math.floor(place / DAYS_MAX);
    let counts = byNumber.get(agentNo);
    if (!counts) {
      counts = emptyDays(days);
      byNumber.set(agentNo, counts);
      const agent = directory.ofNumber(agentNo);
      if (agent) found.set(agent.agentId, counts);
    }
    const day = place % DAYS_MAX;
    counts.evaluations[day] = evaluations[i] as number;
    counts.passed[day] = passed[i] as number;
  });
  return found;
}
