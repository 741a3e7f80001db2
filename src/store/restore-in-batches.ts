import { checkBatch } from './evaluation-window.ts';
import type { LedgerRow } from './store.ts';

/** Rows restored in one write. */
const RESTORE_ROWS = 5_000;

/** Hands rows on in batches; `restore` answers how many of a batch were not there before. */
export async function restoreInBatches(
  rows: AsyncIterable<LedgerRow>,
  restore: (batch: readonly LedgerRow[]) => Promise<number>,
): Promise<{ restored: number; present: number }> {
  const counts = { restored: 0, present: 0 };
  let batch: LedgerRow[] = [];
  const flush = async () => {
    checkRows(batch);
    const restored = await restore(batch);
    counts.restored += restored;
    counts.present += batch.length - restored;
    batch = [];
  };
  for await (const row of rows) {
    batch.push(row);
    if (batch.length >= RESTORE_ROWS) await flush();
  }
  if (batch.length > 0) await flush();
  return counts;
}

/** Refuses what no window could take, before any of it is stored. */
export function checkRows(batch: readonly LedgerRow[]): void {
  checkBatch(batch.flatMap((item) => (item.kind === 'evaluation' ? [item.row] : [])));
}
