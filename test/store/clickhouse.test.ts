import { afterAll, beforeAll, vi } from 'vitest';
import { Ledgers, OpenLedgers } from '../support/clickhouse/ledgers.ts';
import { CLICKHOUSE } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';
import { createClock } from './conformance/suite.ts';
import { describeConformance } from './conformance.ts';

// A statement takes seconds where the engine is emulated.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describeWith(CLICKHOUSE, 'ClickHouse', () => {
  let ledgers: Ledgers;
  let open: OpenLedgers;
  beforeAll(async () => {
    ledgers = await Ledgers.start();
    open = new OpenLedgers(ledgers);
  });
  afterAll(() => ledgers?.stop());

  describeConformance('the ClickHouse store', {
    open: () => open.open(createClock()),
    reopen: (store) => open.reopen(store, createClock()),
  });
});
