import { readdir, readFile } from 'node:fs/promises';
import { RenownError } from '../../core/errors.ts';
import { codeFolder } from '../../package/package-files.ts';
import { Connection } from './connection.ts';
import { renderStatements } from './render-statements.ts';

const FOLDER = new URL('store/clickhouse/migrations/', codeFolder);
/** Tokens that reach through materialized views, and lightweight deletes that wait, are both there from here on. */
const OLDEST_SERVER = [24, 10] as const;

const SCHEMA_MIGRATIONS = `-- sharded by cityHash64(number)
CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, name String) ENGINE = ReplacingMergeTree ORDER BY number`;

/**
 * Brings a database to the newest schema. Every statement of every step may run again, and on two nodes at once, so a
 * step that was cut off is simply taken anew; it is noted when all of it is done.
 */
export async function migrate(connection: Connection): Promise<void> {
  const { database } = connection.location;
  const done = await readSteps(connection);
  const files = await listMigrations();
  const newest = Math.max(...files.map(numberOf));
  const beyond = Math.max(0, ...done);
  if (beyond > newest) {
    throw new RenownError(
      'store_too_new',
      `The database ${database} has schema ${beyond}, and this version of Renown knows up to ${newest}. Run the version that wrote it.`,
    );
  }
  for (const name of files.filter((file) => !done.has(numberOf(file)))) {
    const sql = await readFile(new URL(name, FOLDER), 'utf8');
    for (const statement of renderStatements(sql, connection.location)) await connection.command(statement);
    await connection.insert('schema_migrations', [{ number: numberOf(name), name }]);
  }
}

/** Every statement that a new database takes, in order. */
export async function listStatements(location: {
  database: string;
  cluster: string | null;
}): Promise<string[]> {
  const files = await listMigrations();
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, FOLDER), 'utf8')));
  return [SCHEMA_MIGRATIONS, ...texts].flatMap((sql) => renderStatements(sql, location));
}

async function listMigrations(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
}

/** The steps that were taken, asked together with the version of the server. A new database begins with none. */
async function readSteps(connection: Connection): Promise<Set<number>> {
  const ask = async () => {
    const [row] = await connection.query<{ version: string; done: number[] }>(
      'SELECT version() AS version, (SELECT groupUniqArray(number) FROM schema_migrations) AS done',
    );
    checkServer(row?.version ?? '');
    return new Set(row?.done);
  };
  try {
    return await ask();
  } catch (error) {
    if (!isUnknown(error)) throw error;
    await begin(connection);
    return ask();
  }
}

async function begin(connection: Connection): Promise<void> {
  const { location } = connection;
  const server = new Connection({ ...location, database: 'default' });
  try {
    const [row] = await server.query<{ version: string }>('SELECT version() AS version');
    checkServer(row?.version ?? '');
    const onCluster = location.cluster ? ` ON CLUSTER ${location.cluster}` : '';
    await server.command(`CREATE DATABASE IF NOT EXISTS ${location.database}${onCluster}`);
  } finally {
    await server.close();
  }
  for (const statement of renderStatements(SCHEMA_MIGRATIONS, location)) await connection.command(statement);
}

export function checkServer(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_SERVER;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new RenownError(
    'store_unavailable',
    `This ClickHouse is version ${version}, and the ledger needs ${OLDEST_SERVER.join('.')} or newer. Upgrade the server.`,
  );
}

/** An unknown table or database. */
function isUnknown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['60', '81'].includes(String(error.code));
}

function numberOf(file: string): number {
  return Number.parseInt(file, 10);
}
