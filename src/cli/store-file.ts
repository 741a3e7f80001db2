/** The file of an embedded ledger, and whether it is there: opening one that is not would make it. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RenownError } from '../core/errors.ts';
import { type Configuration, storeUrl } from '../server/configuration.ts';

type Place = Pick<Configuration, 'store' | 'data'>;

/** Null for a ledger that a server of its own holds. */
export function storeFile(place: Place): string | null {
  const url = storeUrl(place);
  return url.startsWith('duckdb:') ? url.slice('duckdb:'.length) : null;
}

/** A file that may not be looked at is not missing: opening it says why. */
export async function isMissing(place: Place): Promise<boolean> {
  const file = storeFile(place);
  if (file === null) return false;
  return stat(file).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR',
  );
}

/** For commands that work within a ledger, and would leave an empty one wherever somebody stands. */
export async function refuseMissing(
  place: Place,
  { mayAskServer }: { mayAskServer: boolean },
): Promise<void> {
  if (!(await isMissing(place))) return;
  const server = mayAskServer ? ', a server with RENOWN_URL' : '';
  throw new RenownError(
    'not_found',
    `There is no ledger at ${resolve(storeFile(place) ?? '')}. Name one with --store or RENOWN_DATA${server}, or start one: renown serve.`,
  );
}
