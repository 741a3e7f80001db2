/** The key that seals secrets: from the configuration, or from a file beside the store that is made when first needed. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { RenownError } from '../core/errors.ts';
import { type Configuration, storeUrl } from './configuration.ts';

export async function readMasterKey(configuration: Configuration): Promise<string> {
  if (configuration.masterKey !== '') return configuration.masterKey;
  const url = storeUrl(configuration);
  if (!url.startsWith('duckdb:')) return randomBytes(32).toString('hex');
  const path = `${url.slice('duckdb:'.length)}.key`;
  try {
    await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new RenownError('unwritable_output', `${path} could not be written (${code}).`, { cause });
  }
  return (await readFile(path, 'utf8')).trim();
}
