/** Random sequences of operations leave every engine with the same ledger, and every answer on the way is the same. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDuckdbStore } from '../../src/store/duckdb/open.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { createClock } from './conformance/suite.ts';
import { NOW, operation, rounded, state, write } from './operations.ts';

it('DuckDB answers any sequence of operations as the memory store does, across restarts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'renown-'));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 12, arbitrary: operation },
          { weight: 1, arbitrary: fc.constant('restart' as const) },
        ),
        { maxLength: 25 },
      ),
      async (operations) => {
        const clocks = [createClock(), createClock()] as const;
        const oracle = createMemoryStore({ clock: clocks[0] });
        const path = join(folder, `${run++}.duckdb`);
        let store = await openDuckdbStore(path, { clock: clocks[1] });
        for (const one of operations) {
          if (one === 'restart') {
            await store.close();
            store = await openDuckdbStore(path, { clock: clocks[1] });
          } else {
            expect(rounded(await one(store))).toEqual(rounded(await one(oracle)));
          }
        }
        await store.close();
      },
    ),
    { numRuns: 40, interruptAfterTimeLimit: 40_000 },
  );
}, 120_000);

it('writes that come all at once leave the ledger as if they had come one after another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'renown-'));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(write, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
      async (bursts) => {
        const oracle = createMemoryStore({ clock: () => NOW });
        const path = join(folder, `${run++}.duckdb`);
        let store = await openDuckdbStore(path, { clock: () => NOW });
        for (const burst of bursts) {
          for (const one of burst) await one(oracle);
          await Promise.all(burst.map((one) => one(store)));
          expect(await state(store)).toEqual(await state(oracle));
        }
        await store.close();
        store = await openDuckdbStore(path, { clock: () => NOW });
        expect(await state(store)).toEqual(await state(oracle));
        await store.close();
      },
    ),
    { numRuns: 40, interruptAfterTimeLimit: 40_000 },
  );
}, 120_000);
