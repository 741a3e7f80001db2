import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { RenownError } from '../../core/errors.ts';
import { query } from './query.ts';
import type { UpkeepContext } from './upkeep-context.ts';

/** Written aside and moved into place whole: a copy that broke off is no copy. */
export async function backUp(path: string, { connect }: Pick<UpkeepContext, 'connect'>): Promise<void> {
  if (existsSync(path))
    throw new RenownError('unwritable_output', `${path} exists already. Name another file.`);
  const alias = `backup_${randomBytes(8).toString('hex')}`;
  const aside = `${path}.${alias}`;
  const connection = await connect();
  try {
    const [own] = await query<{ name: string }>(connection, 'SELECT current_database() AS name');
    await connection.run(`ATTACH '${aside.replaceAll("'", "''")}' AS ${alias}`);
    try {
      await connection.run(`COPY FROM DATABASE "${own?.name.replaceAll('"', '""')}" TO ${alias}`);
    } finally {
      await connection.run(`DETACH ${alias}`);
    }
    await rename(aside, path);
  } catch (cause) {
    throw new RenownError(
      'unwritable_output',
      `${path} could not be written: ${(cause as Error).message.split('\n')[0]}`,
      { cause },
    );
  } finally {
    connection.closeSync();
    await rm(aside, { force: true });
    await rm(`${aside}.wal`, { force: true });
  }
}
