/**
 * Tables as Parquet files, written and read by the DuckDB that is on board anyway. It knows nothing of the ledger: names
 * and types of columns come from the caller.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBValue,
  VARCHAR,
} from '@duckdb/node-api';
import { RenownError } from '../core/errors.ts';

const TYPES = { text: VARCHAR, number: DOUBLE, boolean: BOOLEAN } as const;

export type ParquetColumns = Readonly<Record<string, keyof typeof TYPES>>;

/** Rows gathered before they are handed over: what DuckDB takes in one chunk. */
const CHUNK_ROWS = 2_048;

/**
 * Several tables as `<name>.parquet` in a new folder. Rows are kept in a file there until `finish`, so that a ledger of
 * any size fits; whatever ends it early leaves no folder behind.
 */
export class ParquetFolder {
  readonly #folder: string;
  readonly #tables: Readonly<Record<string, ParquetColumns>>;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #rows = new Map<string, DuckDBValue[][]>();

  private constructor(
    folder: string,
    tables: Readonly<Record<string, ParquetColumns>>,
    opened: { instance: DuckDBInstance; connection: DuckDBConnection },
  ) {
    this.#folder = folder;
    this.#tables = tables;
    this.#instance = opened.instance;
    this.#connection = opened.connection;
  }

  static async create(
    folder: string,
    tables: Readonly<Record<string, ParquetColumns>>,
  ): Promise<ParquetFolder> {
    if (existsSync(folder)) {
      throw new RenownError('unwritable_output', `${folder} exists already. Name another folder.`);
    }
    try {
      mkdirSync(folder, { mode: 0o700 });
      const instance = await DuckDBInstance.create(join(folder, '.rows.duckdb'));
      const connection = await instance.connect();
      for (const [name, columns] of Object.entries(tables)) {
        const list = Object.entries(columns).map(([column, type]) => `"${column}" ${TYPES[type]}`);
        await connection.run(`CREATE TABLE "${name}" (${list.join(', ')})`);
      }
      return new ParquetFolder(folder, tables, { instance, connection });
    } catch (cause) {
      throw unwritable(folder, cause);
    }
  }

  async add(table: string, row: Readonly<Record<string, DuckDBValue>>): Promise<void> {
    const rows = this.#rows.get(table) ?? [];
    this.#rows.set(table, rows);
    rows.push(Object.keys(this.#tables[table] ?? {}).map((column) => row[column] ?? null));
    if (rows.length === CHUNK_ROWS) await this.#flush(table);
  }

  async finish(): Promise<void> {
    try {
      for (const table of Object.keys(this.#tables)) {
        await this.#flush(table);
        const file = quoted(join(this.#folder, `${table}.parquet`));
        await this.#connection.run(`COPY "${table}" TO ${file} (FORMAT parquet, COMPRESSION zstd)`);
      }
    } catch (cause) {
      this.abandon();
      throw unwritable(this.#folder, cause);
    }
    this.#close();
    rmSync(join(this.#folder, '.rows.duckdb'));
  }

  abandon(): void {
    this.#close();
    rmSync(this.#folder, { recursive: true });
  }

  async #flush(table: string): Promise<void> {
    const rows = this.#rows.get(table) ?? [];
    this.#rows.delete(table);
    if (rows.length === 0) return;
    const chunk = DuckDBDataChunk.create(
      Object.values(this.#tables[table] ?? {}).map((type) => TYPES[type]),
      rows.length,
    );
    chunk.setRows(rows);
    const appender = await this.#connection.createAppender(table);
    appender.appendDataChunk(chunk);
    appender.closeSync();
  }

  #close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** The rows of a Parquet file: numbers, texts, true or false, null; times in epoch milliseconds, maps as JSON. */
export async function* readParquet(file: string): AsyncGenerator<Record<string, unknown>> {
  if (!existsSync(file)) throw unreadable(file, 'there is no such file');
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    const source = `read_parquet(${quoted(file)})`;
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
    const uuids = await uuidColumns(connection, file);
    const columns = described
      .getRowObjects()
      .map(({ column_name: name, column_type: type }) =>
        plain(String(name), uuids.has(String(name)) ? 'BLOB(16)' : String(type)),
      );
    const result = await connection.stream(`SELECT ${columns.join(', ')} FROM ${source}`);
    for await (const rows of result.yieldRowObjectJs()) yield* rows as Record<string, unknown>[];
  } catch (cause) {
    throw unreadable(file, (cause as Error).message.split('\n')[0] ?? '', cause);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Columns of sixteen bytes each: as ClickHouse writes a UUID, without saying that it is one. */
async function uuidColumns(connection: DuckDBConnection, file: string): Promise<Set<string>> {
  const found = await connection.runAndReadAll(
    `SELECT name FROM parquet_schema(${quoted(file)})
     WHERE type = 'FIXED_LEN_BYTE_ARRAY' AND type_length = '16' AND converted_type IS NULL AND logical_type IS NULL`,
  );
  return new Set(found.getRowObjects().map(({ name }) => String(name)));
}

/** A column as an expression that gives it in the few types a row has here. */
function plain(name: string, type: string): string {
  const column = `"${name.replaceAll('"', '""')}"`;
  const as = (expression: string) => `${expression} AS ${column}`;
  if (type.startsWith('TIMESTAMP')) return as(`epoch_ms(${column})::DOUBLE`);
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/.test(type))
    return as(`${column}::DOUBLE`);
  if (type === 'BOOLEAN') return column;
  if (type === 'BLOB') return as(`decode(${column})`);
  if (type === 'BLOB(16)') return as(`CAST(lower(hex(${column})) AS UUID)::VARCHAR`);
  return as(/^(MAP|STRUCT|.*\[\])/.test(type) ? `to_json(${column})::VARCHAR` : `${column}::VARCHAR`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function unwritable(folder: string, cause: unknown): RenownError {
  return new RenownError(
    'unwritable_output',
    `${folder} could not be written: ${(cause as Error).message.split('\n')[0]}`,
    { cause },
  );
}

function unreadable(file: string, why: string, cause?: unknown): RenownError {
  return new RenownError('unreadable_input', `${basename(file)} could not be read as Parquet: ${why}.`, {
    cause,
  });
}
