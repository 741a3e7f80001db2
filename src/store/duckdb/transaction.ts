import { type DuckDBConnection, DuckDBDataChunk, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { query } from './query.ts';

/** How many rows DuckDB takes in one chunk. */
const CHUNK_ROWS = 2_048;

/** A table that rows are appended to in bulk: its name and the types of its columns, in order. */
export interface AppendTable {
  name: string;
  types: readonly DuckDBType[];
}

export type Row = readonly DuckDBValue[];

/**
 * One transaction. Statements run at once; appended rows are gathered and go in with the appender just before the
 * commit, which is many times faster than INSERT.
 */
export class Transaction {
  readonly #connection: DuckDBConnection;
  readonly #appends = new Map<AppendTable, Row[]>();
  readonly #undo: (() => void)[] = [];
  /** Ids that writes of this transaction have taken: a later one must not take them again. */
  readonly claimed = new Set<string>();

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  static async begin(connection: DuckDBConnection): Promise<Transaction> {
    await connection.run('BEGIN TRANSACTION');
    return new Transaction(connection);
  }

  async run(sql: string, values: Record<string, DuckDBValue> = {}): Promise<void> {
    await this.#connection.run(sql, values);
  }

  async query<T>(sql: string, values: Record<string, DuckDBValue> = {}): Promise<T[]> {
    return query<T>(this.#connection, sql, values);
  }

  /** For what a write has changed in memory before the commit. */
  onRollback(undo: () => void): void {
    this.#undo.push(undo);
  }

  append(table: AppendTable, row: Row): void {
    const rows = this.#appends.get(table);
    if (rows) rows.push(row);
    else this.#appends.set(table, [row]);
  }

  async commit(): Promise<void> {
    for (const [table, rows] of this.#appends) await this.#appendRows(table, rows);
    await this.#connection.run('COMMIT');
  }

  /** Never throws: a transaction that DuckDB has already given up cannot be rolled back, and need not be. */
  async rollback(): Promise<void> {
    for (const undo of this.#undo.reverse()) undo();
    await this.#connection.run('ROLLBACK').catch(() => undefined);
  }

  async #appendRows({ name, types }: AppendTable, rows: readonly Row[]): Promise<void> {
    const appender = await this.#connection.createAppender(name);
    try {
      for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
        appender.appendDataChunk(toChunk(types, rows.slice(start, start + CHUNK_ROWS)));
      }
    } finally {
      appender.closeSync();
    }
  }
}

function toChunk(types: readonly DuckDBType[], rows: readonly Row[]): DuckDBDataChunk {
  const chunk = DuckDBDataChunk.create(types, rows.length);
  for (let column = 0; column < types.length; column++) {
    const vector = chunk.getColumnVector(column);
    for (let i = 0; i < rows.length; i++) vector.setItem(i, (rows[i] as Row)[column] as DuckDBValue);
    vector.flush();
  }
  return chunk;
}
