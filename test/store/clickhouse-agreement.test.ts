/** Random sequences of operations, few and short where the engine is emulated, against the oracle. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../../src/store/memory.ts';
import { Ledgers, OpenLedgers } from '../support/clickhouse/ledgers.ts';
import { QUICK_CLICKHOUSE } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';
import { createClock } from './conformance/suite.ts';
import { operation, rounded, state } from './operations.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 });

describeWith(QUICK_CLICKHOUSE, 'ClickHouse', () => {
  let ledgers: Ledgers;
  let open: OpenLedgers;
  beforeAll(async () => {
    ledgers = await Ledgers.start();
    open = new OpenLedgers(ledgers);
  });
  afterAll(() => ledgers?.stop());

  it('answers sequences of operations as the memory store does, across restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 6 }), async (operations) => {
        // Goes on with each operation, and not with each look: the engine looks also when it notes an audit.
        const tick = createClock();
        let now = tick();
        const clock = () => now;
        const oracle = createMemoryStore({ clock });
        let store = await open.open(clock);
        for (const [i, one] of operations.entries()) {
          now = tick();
          if (i === 3) store = await open.reopen(store, clock);
          expect(rounded(await one(store))).toEqual(rounded(await one(oracle)));
        }
        expect(await state(store)).toEqual(await state(oracle));
        await store.close();
      }),
      { numRuns: 4, seed: 20_261_115, endOnFailure: true },
    );
  });
});
