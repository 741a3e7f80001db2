/** What has arrived since a place in the ledger. A place is the `seq` of the first evaluation that was not seen yet. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Feed, StoredEvaluation, VerdictFeed } from '../store.ts';
import { parseSeqCursor } from './cursor.ts';
import type { Directory } from './directory.ts';
import { STORED_COLUMNS, type StoredRow } from './evaluation-rows.ts';
import { query } from './query.ts';

/** The reader sees whole commits, and commits are in the order of arrival: nothing appears before this place later. */
export async function readHead(reader: DuckDBConnection): Promise<string> {
  const [last] = await query<{ seq: number }>(
    reader,
    'SELECT coalesce(max(seq), -1)::DOUBLE AS seq FROM evaluations',
  );
  return String((last?.seq ?? -1) + 1);
}

export async function readSince(
  { reader }: { reader: DuckDBConnection },
  orgId: string,
  {
    cursor,
    limit,
    toStored,
  }: { cursor: string; limit: number; toStored: (row: StoredRow) => StoredEvaluation },
): Promise<Feed> {
  const from = parseSeqCursor(cursor) ?? 0;
  const head = await readHead(reader);
  const rows = await query<StoredRow>(
    reader,
    `SELECT ${STORED_COLUMNS} FROM evaluations e LEFT JOIN voids v ON v.seq = e.seq
     WHERE e.seq >= ${from} AND e.seq < ${head} AND e.agent_no IN (SELECT agent_no FROM agents WHERE org_id = $orgId)
     ORDER BY e.seq LIMIT ${limit + 1}`,
    { orgId },
  );
  const items = rows
    .slice(0, limit)
    .map((row) => ({ cursor: String(row.seq + 1), evaluation: toStored(row) }));
  // A ledger that was restored from an older copy may reach less far than the cursor: it goes on from where it ends.
  return { items, cursor: rows.length > limit ? (items.at(-1)?.cursor ?? head) : head };
}

export async function readVerdictsSince(
  { reader, directory }: { reader: DuckDBConnection; directory: Directory },
  orgId: string,
  { cursor, limit }: { cursor: string; limit: number },
): Promise<VerdictFeed> {
  const from = parseSeqCursor(cursor) ?? 0;
  const head = Number(await readHead(reader));
  // So many places, whether or not what stands there counts: a bound that needs no counting.
  const to = Math.min(head, from + limit);
  const rows = await query<{ seq: number; agentNo: number; passed: boolean; receivedAt: number }>(
    reader,
    `SELECT seq, agent_no AS "agentNo", passed, received_at AS "receivedAt" FROM evaluations
     WHERE seq >= ${from} AND seq < ${to} AND counts AND seq NOT IN (SELECT seq FROM voids WHERE seq >= ${from})
     ORDER BY seq`,
  );
  const items = rows.flatMap(({ seq, agentNo, ...verdict }) => {
    const agent = directory.ofNumber(agentNo);
    return agent?.orgId === orgId ? [{ cursor: String(seq + 1), agentId: agent.agentId, ...verdict }] : [];
  });
  return { items, cursor: String(to), hasMore: to < head };
}
