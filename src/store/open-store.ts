import { RenownError } from '../core/errors.ts';
import type { Store } from './store.ts';

export interface OpenOptions {
  /** Epoch milliseconds; the time at which the ledger says it received something. */
  clock?: () => number;
}

/**
 * Opens the ledger that a URL names: `duckdb:path`, or `memory:`. Each engine is loaded only when it is asked for.
 */
export async function openStore(url: string, { clock = Date.now }: OpenOptions = {}): Promise<Store> {
  const [, scheme, rest = ''] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  if (scheme === 'duckdb' && rest !== '') {
    const { openDuckdbStore } = await import('./duckdb/open.ts');
    return openDuckdbStore(rest, { clock });
  }
  if (scheme === 'memory') {
    const { createMemoryStore } = await import('./memory.ts');
    return createMemoryStore({ clock });
  }
  throw new RenownError('invalid_request', `"${url}" names no store. Use duckdb:path or memory: instead.`);
}
