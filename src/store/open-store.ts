import { RenownError } from '../core/errors.ts';
import type { Store } from './store.ts';

export interface OpenOptions {
  /** Epoch milliseconds; the time at which the ledger says it received something. */
  clock?: () => number;
  /** Where a node keeps facts for a ClickHouse that is away. */
  spoolDir?: string | undefined;
}

/**
 * Opens the ledger that a URL names: `duckdb:path`, `clickhouse://user:password@host:port/database`, or `memory:`. Each
 * engine is loaded only when it is asked for.
 */
export async function openStore(
  url: string,
  { clock = Date.now, spoolDir = 'renown-spool' }: OpenOptions = {},
): Promise<Store> {
  const [, scheme, rest = ''] = /^([a-z+]+):(.*)$/s.exec(url) ?? [];
  if (scheme === 'duckdb' && rest !== '') {
    const { openDuckdbStore } = await import('./duckdb/open.ts');
    return openDuckdbStore(rest, { clock });
  }
  if (scheme === 'clickhouse' || scheme === 'clickhouse+https') {
    const { openClickhouseStore } = await import('./clickhouse/open.ts');
    return openClickhouseStore(url, { clock, spoolDir });
  }
  if (scheme === 'memory') {
    const { createMemoryStore } = await import('./memory.ts');
    return createMemoryStore({ clock });
  }
  throw new RenownError(
    'invalid_request',
    `"${url}" names no store. Use duckdb:path, clickhouse://user:password@host:port/database or memory: instead.`,
  );
}
