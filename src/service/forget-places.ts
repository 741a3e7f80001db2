/**
 * A restored ledger numbers its evaluations anew, so that a place in the old one says nothing in it. Whoever keeps such
 * places, the watcher and the exporter of verdicts, begins at the end of what was restored; detectors keep what they learned.
 */
import type { LedgerRow } from '../store/store.ts';
import { DETECTOR, type DetectorBody, LEASE } from './alerts/watcher.ts';
import { EXPORTED } from './otlp/exporter.ts';

export async function* forgetPlaces(rows: AsyncIterable<LedgerRow>): AsyncGenerator<LedgerRow> {
  for await (const item of rows) {
    if (item.kind !== 'document') yield item;
    else if (item.row.kind === DETECTOR) {
      const body: DetectorBody = { ...(item.row.body as DetectorBody), generation: 0, cursor: '' };
      yield { ...item, row: { ...item.row, body } };
    } else if (item.row.kind !== LEASE && item.row.kind !== EXPORTED.kind) yield item;
  }
}
