import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { CommandInput, CommandOption } from './command.ts';
import type { Io } from './io.ts';

/** For commands that work on the ledger itself. */
export const STORE_OPTION: CommandOption = {
  name: 'store',
  type: 'string',
  summary: 'The ledger: duckdb:path or clickhouse://…. Without it RENOWN_DATA, or ./renown.duckdb',
};

/** Opens the ledger that a command line means, hands it over, and closes it whatever happens. */
export async function withStore<T>(
  { options }: CommandInput,
  io: Io,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const url = String(options.store ?? `duckdb:${io.env.RENOWN_DATA ?? 'renown.duckdb'}`);
  const store = await openStore(url, { spoolDir: io.env.RENOWN_SPOOL });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
