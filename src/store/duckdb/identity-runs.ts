/**
 * What a score needs of an identity's events, gathered by identity: neither a scan nor an index reads a thousand of ten
 * million events quickly when they lie where they arrived. Every so many events those that have arrived since are
 * gathered, one row for each identity among them, by a statement that DuckDB runs beside us. A reading takes the rows of
 * its identity and the tail, the events since the watermark.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { RenownError } from '../../core/errors.ts';
import { type Category, type IdentityEvent, reachOf } from '../../core/identity.ts';
import type { CommitQueue } from './commit-queue.ts';
import { query } from './query.ts';
import { TailKeeper } from './tail-keeper.ts';
import type { Transaction } from './transaction.ts';

/** A category is stored as its position in this list. */
export const CATEGORIES: readonly Category[] = ['task_quality', 'economic', 'identity_hygiene'];

/** The longest tail: gathering so many takes about 0.2 s. */
const TAIL_ROWS_MAX = 200_000;

const EVENT_TEXT = `concat_ws(',', first_seq::BIGINT, revision, timestamp, category, score_delta)`;
/** A revision of another identity, of which only the number matters. */
const MOVED_TEXT = `concat_ws(',', first_seq::BIGINT, revision)`;

const GATHERED = `min(timestamp), max(timestamp), bool_or(revision > 0 OR first_seq < seq), string_agg(${EVENT_TEXT}, ';')`;

export class IdentityRuns {
  readonly #connection: DuckDBConnection;
  #watermark: number;

  constructor(connection: DuckDBConnection, watermark: number) {
    this.#connection = connection;
    this.#watermark = watermark;
  }

  get watermark(): number {
    return this.#watermark;
  }

  /**
   * The highest revision of each event that a score at this time may need. A run that ended before is passed over,
   * unless it has a revision in it: that may be of an event which a lower revision dates later.
   */
  async read(identityNo: number, now: number): Promise<IdentityEvent[]> {
    const rows = await query<{ events: string }>(
      this.#connection,
      `SELECT events FROM identity_runs WHERE identity_no = $identityNo AND (last_at > $reach OR revised)
       UNION ALL
       SELECT ${EVENT_TEXT} FROM reputation_events WHERE seq > ${this.#watermark} AND identity_no = $identityNo
       UNION ALL
       SELECT ${MOVED_TEXT} FROM moved_events WHERE identity_no = $identityNo`,
      { identityNo, reach: reachOf(now) },
    );
    return toLatest(rows.flatMap(({ events }) => events.split(';')));
  }

  /** Gathers the tail. Within the transaction of a write, which sees all that came before it. */
  async gather(transaction: Transaction): Promise<() => void> {
    const [found] = await transaction.query<{ last: number | null }>(
      'SELECT max(seq) AS last FROM reputation_events',
    );
    const reached = Math.max(found?.last ?? -1, this.#watermark);
    await transaction.run(
      `INSERT INTO identity_runs SELECT identity_no, ${this.#watermark}, ${reached}, ${GATHERED}
       FROM reputation_events WHERE seq > ${this.#watermark} GROUP BY identity_no ORDER BY identity_no`,
    );
    await transaction.run(`DELETE FROM meta WHERE name = 'identity_watermark'`);
    await transaction.run(`INSERT INTO meta VALUES ('identity_watermark', '${reached}')`);
    return () => {
      this.#watermark = reached;
    };
  }

  /** Makes the runs anew that have held events from before a time, which have just been removed. */
  async regather(transaction: Transaction, before: number): Promise<void> {
    const reaching = `FROM identity_runs WHERE first_at < ${before}`;
    await transaction.run(
      `CREATE OR REPLACE TEMP TABLE reaching AS SELECT identity_no, from_seq, to_seq ${reaching}`,
    );
    await transaction.run(`DELETE ${reaching}`);
    await transaction.run(
      `INSERT INTO identity_runs SELECT identity_no, from_seq, to_seq, ${GATHERED}
       FROM reputation_events JOIN reaching USING (identity_no) WHERE seq > from_seq AND seq <= to_seq
       GROUP BY identity_no, from_seq, to_seq ORDER BY identity_no`,
    );
    await transaction.run('DROP TABLE reaching');
  }
}

export function createRunKeeper(
  queue: CommitQueue,
  runs: IdentityRuns,
  arrival: { nextSeq: number },
): TailKeeper {
  return new TailKeeper({
    isDue: () => arrival.nextSeq - 1 - runs.watermark > TAIL_ROWS_MAX,
    save: () => queue.write((transaction) => runs.gather(transaction)),
  });
}

export function toCategory(position: number): Category {
  const category = CATEGORIES[position];
  if (!category)
    throw new RenownError('corrupt_data', `The ledger holds a category ${position} that there is not.`);
  return category;
}

/** The highest revision of each event, from their texts; none where that is another identity's. */
function toLatest(texts: readonly string[]): IdentityEvent[] {
  const latest = new Map<string, { revision: number; event: IdentityEvent | null }>();
  for (const text of texts) {
    const [firstSeq = '', revision, timestamp, category, scoreDelta] = text.split(',');
    const known = latest.get(firstSeq);
    if (known && known.revision >= Number(revision)) continue;
    const event =
      timestamp === undefined
        ? null
        : {
            timestamp: Number(timestamp),
            category: toCategory(Number(category)),
            scoreDelta: Number(scoreDelta),
          };
    latest.set(firstSeq, { revision: Number(revision), event });
  }
  return [...latest.values()].flatMap(({ event }) => event ?? []);
}
