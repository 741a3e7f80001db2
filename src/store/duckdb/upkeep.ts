import { restoreInBatches } from '../restore-in-batches.ts';
import type { Upkeep } from '../store.ts';
import { backUp } from './back-up.ts';
import { exportRows } from './export-rows.ts';
import { prune } from './prune.ts';
import { restoreBatch } from './restore-batch.ts';
import type { UpkeepContext } from './upkeep-context.ts';

export function createUpkeep(context: UpkeepContext): Upkeep {
  const { queue } = context.evaluations;
  return {
    prune: (policy, now) => prune(context, policy, now),
    export: () => exportRows(context),
    restore: (rows) =>
      restoreInBatches(rows, (batch) =>
        queue.write((transaction) => restoreBatch(transaction, context, batch)),
      ),
    backup: (path) => backUp(path, context),
  };
}
