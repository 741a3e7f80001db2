import { readdir, readFile } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { RenownError } from '../../core/errors.ts';
import { codeFolder } from '../../package/package-files.ts';
import { query } from './query.ts';

const FOLDER = new URL('store/duckdb/migrations/', codeFolder);

/** Brings a file to the newest schema, each numbered step in a transaction of its own. Safe to run again. */
export async function migrate(connection: DuckDBConnection, path: string): Promise<void> {
  await connection.run('CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER, name VARCHAR)');
  const applied = await query<{ number: number }>(connection, 'SELECT number FROM schema_migrations');
  const done = new Set(applied.map(({ number }) => number));
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  const newest = Math.max(...files.map(numberOf));
  const beyond = Math.max(0, ...done);
  if (beyond > newest) {
    throw new RenownError(
      'store_too_new',
      `${path} has schema ${beyond}, and this version of Renown knows up to ${newest}. Run the version that wrote it.`,
    );
  }
  for (const name of files.filter((file) => !done.has(numberOf(file)))) {
    await connection.run('BEGIN TRANSACTION');
    await connection.run(await readFile(new URL(name, FOLDER), 'utf8'));
    await connection.run('INSERT INTO schema_migrations VALUES ($number, $name)', {
      number: numberOf(name),
      name,
    });
    await connection.run('COMMIT');
  }
}

function numberOf(file: string): number {
  return Number.parseInt(file, 10);
}
