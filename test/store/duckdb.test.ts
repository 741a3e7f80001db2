import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckdbStore } from '../../src/store/duckdb/open.ts';
import type { Store } from '../../src/store/store.ts';
import { createClock } from './conformance/suite.ts';
import { describeConformance } from './conformance.ts';

const paths = new WeakMap<Store, string>();

async function open(path: string): Promise<Store> {
  const store = await openDuckdbStore(path, { clock: createClock() });
  paths.set(store, path);
  return store;
}

describeConformance('the DuckDB store', {
  open: () => open(join(mkdtempSync(join(tmpdir(), 'renown-')), 'ledger.duckdb')),
  async reopen(store) {
    await store.close();
    return open(paths.get(store) ?? '');
  },
});
