import { expect, it } from 'vitest';
import { createDetector } from '../core/stats/change-detector.ts';
import type { LedgerRow } from '../store/store.ts';
import { beginWatch } from './alerts/change-watch.ts';
import { forgetPlaces } from './forget-places.ts';

const document = (kind: string, body: unknown): LedgerRow => ({
  kind: 'document',
  orgId: 'acme',
  row: { kind, id: 'one', version: 3, updatedAt: 1, body },
});

it('leaves out places of another ledger, and keeps what detectors have learned', async () => {
  const watch = { ...beginWatch(createDetector(0.9), 0.9), total: 77 };
  const rows = [
    document('watch', { cursor: '900', generation: 4, holder: 'x', until: 5 }),
    document('otlp_export', { cursor: '900' }),
    document('detector', { ...watch, generation: 5, cursor: '900' }),
    document('settings', { score_floor: 5 }),
  ];
  const kept: LedgerRow[] = [];
  for await (const row of forgetPlaces(
    (async function* () {
      yield* rows;
    })(),
  ))
    kept.push(row);
  expect(kept).toEqual([document('detector', { ...watch, generation: 0, cursor: '' }), rows[3]]);
});
