import { type DuckDBConnection, DuckDBDataChunk, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { RenownError } from '../../core/errors.ts';
import { query } from './query.ts';

/** How many rows DuckDB takes in one chunk. */
const CHUNK_ROWS = 2_048;

/** A table that rows are appended to in bulk: its name and the types of its columns, in order. */
export interface AppendTable {
  name: string;
  types: readonly DuckDBType[];
}

/** Rows on their way in, column by column: a list of numbers alone is kept without a box around each. */
export type Columns = DuckDBValue[][];

/**
 * One transaction of the writing connection. It may be filled before it begins, while the one before it is still being
 * committed: appended rows are gathered here and go in with the appender, which is many times faster than INSERT.
 * A statement waits until it has begun, and finds all that was appended before it.
 */
export class Transaction {
  readonly #connection: DuckDBConnection;
  readonly #turn: Promise<void>;
  readonly #appends = new Map<AppendTable, Columns>();
  readonly #undo: (() => void)[] = [];
  #previous: Transaction | null;
  #begun: Promise<void> | null = null;
  readonly #chunks: { table: string; chunks: DuckDBDataChunk[] }[] = [];
  #failed = false;

  /** Begins after `turn`. What `previous` writes is not yet known to be in the ledger. */
  constructor(connection: DuckDBConnection, turn: Promise<void>, previous: Transaction | null) {
    this.#connection = connection;
    this.#turn = turn;
    this.#previous = previous;
    // Only the one right before can be under way; what came before that is settled.
    if (previous) previous.#previous = null;
  }

  get hasFailed(): boolean {
    return this.#failed;
  }

  async run(sql: string, values: Record<string, DuckDBValue> = {}): Promise<void> {
    await this.write();
    await this.#connection.run(sql, values);
  }

  async query<T>(sql: string, values: Record<string, DuckDBValue> = {}): Promise<T[]> {
    await this.write();
    return query<T>(this.#connection, sql, values);
  }

  /** For what a write has changed in memory before the commit. */
  onRollback(undo: () => void): void {
    this.#undo.push(undo);
  }

  append(table: AppendTable, row: readonly DuckDBValue[]): void {
    const columns = this.columnsOf(table);
    row.forEach((value, i) => {
      columns[i]?.push(value);
    });
  }

  /** For a writer of many rows that adds to each column by itself. */
  columnsOf(table: AppendTable): Columns {
    const columns = this.#appends.get(table) ?? table.types.map(() => []);
    this.#appends.set(table, columns);
    return columns;
  }

  /** Turns the gathered rows into what DuckDB takes: the part of the work that need not wait for the transaction. */
  seal(): void {
    for (const [table, columns] of this.#appends) {
      this.#chunks.push({ table: table.name, chunks: toChunks(table.types, columns) });
    }
    this.#appends.clear();
  }

  /** Begins, and hands all rows so far to DuckDB. */
  async write(): Promise<void> {
    this.seal();
    await this.#begin();
    for (const { table, chunks } of this.#chunks.splice(0)) {
      const appender = await this.#connection.createAppender(table);
      try {
        for (const chunk of chunks) appender.appendDataChunk(chunk);
      } finally {
        appender.closeSync();
      }
    }
  }

  async commit(): Promise<void> {
    await this.#connection.run('COMMIT');
  }

  /** Never throws: a transaction that DuckDB has already given up cannot be rolled back, and need not be. */
  async rollback(): Promise<void> {
    this.#failed = true;
    for (const undo of this.#undo.reverse()) undo();
    if (this.#begun) await this.#connection.run('ROLLBACK').catch(() => undefined);
  }

  #begin(): Promise<void> {
    this.#begun ??= this.#turn.then(async () => {
      // It was prepared on the strength of what the one before was going to write.
      if (this.#previous?.hasFailed) {
        throw new RenownError(
          'store_unavailable',
          'The write before this one failed. Nothing was stored; try again.',
        );
      }
      await this.#connection.run('BEGIN TRANSACTION');
    });
    return this.#begun;
  }
}

function toChunks(types: readonly DuckDBType[], columns: Columns): DuckDBDataChunk[] {
  const rowCount = columns[0]?.length ?? 0;
  const chunks: DuckDBDataChunk[] = [];
  for (let start = 0; start < rowCount; start += CHUNK_ROWS) {
    const count = Math.min(CHUNK_ROWS, rowCount - start);
    const chunk = DuckDBDataChunk.create(types, count);
    columns.forEach((column, i) => {
      chunk.setColumnValues(i, count === rowCount ? column : column.slice(start, start + count));
    });
    chunks.push(chunk);
  }
  return chunks;
}
