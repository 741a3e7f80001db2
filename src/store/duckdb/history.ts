/** The reputation of an agent as it stood at earlier times, made again from its evaluations. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { LIMITS } from '../../core/limits.ts';
import { type KnownAs, type Reputation, reputationOf } from '../../core/reputation.ts';
import { ReputationWindow } from '../../core/reputation-window.ts';
import { replayHistory } from '../replay-history.ts';
import type { DirectoryEntry } from './directory.ts';
import { query } from './query.ts';
import { fromTailRow, knownAsOf, TAIL_COLUMNS, type TailRow } from './windows.ts';

/** Evaluations read at a time: memory stays small however busy the agent was. */
const PAGE_ROWS = 20_000;

export async function readHistory(
  { reader }: { reader: DuckDBConnection },
  agent: DirectoryEntry | undefined,
  times: readonly number[],
): Promise<Reputation[]> {
  const [first] = times;
  if (!agent || first === undefined) return times.map(() => reputationOf([]));
  const counting = `FROM evaluations WHERE agent_no = ${agent.agentNo} AND counts AND seq NOT IN (SELECT seq FROM voids)`;
  const window = await windowAt(reader, agent, { counting, time: first });
  const rows = rowsBetween(reader, counting, { after: first, upTo: times.at(-1) ?? first });
  return replayHistory(window, rows, times);
}

async function windowAt(
  reader: DuckDBConnection,
  { prunedEvaluations }: DirectoryEntry,
  { counting, time }: { counting: string; time: number },
): Promise<ReputationWindow> {
  const until = `${counting} AND received_at <= ${time}`;
  const [found] = await query<{ count: number }>(reader, `SELECT count(*)::DOUBLE AS count ${until}`);
  const rows = await query<TailRow>(
    reader,
    `SELECT ${TAIL_COLUMNS} ${until} ORDER BY received_at DESC, seq DESC LIMIT ${LIMITS.windowSize}`,
  );
  return ReputationWindow.from(rows.reverse().map(fromTailRow), prunedEvaluations + (found?.count ?? 0));
}

async function* rowsBetween(
  reader: DuckDBConnection,
  counting: string,
  { after, upTo }: { after: number; upTo: number },
): AsyncGenerator<TailRow & { knownAs: KnownAs }> {
  let position = `received_at > ${after}`;
  for (;;) {
    const rows = await query<TailRow>(
      reader,
      `SELECT ${TAIL_COLUMNS} ${counting} AND ${position} AND received_at <= ${upTo}
       ORDER BY received_at, seq LIMIT ${PAGE_ROWS}`,
    );
    for (const row of rows) yield { ...row, knownAs: knownAsOf(row) };
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    position = `(received_at, seq) > (${last.receivedAt}, ${last.seq})`;
  }
}
