/**
 * Moves the watermark of the windows: every so many evaluations it writes the rows of the windows that have changed, a
 * slice at a time so that no writer waits long, and then notes how far they reach. After a crash the tail beyond the
 * watermark is read again, which is why it must stay short.
 */
import type { CommitQueue } from './commit-queue.ts';
import { TailKeeper } from './tail-keeper.ts';
import type { Windows } from './windows.ts';

/**
 * The longest tail: what the first reading of an agent may have to look through, in two milliseconds or so. A shorter one
 * costs writers more: a full window takes 8 kB, so that at ten thousand agents 80 MB are written each time.
 */
const TAIL_ROWS_MAX = 1_000_000;
/** Windows written in one commit: up to 8 MB. */
const SLICE = 1_000;

interface KeeperContext {
  queue: CommitQueue;
  windows: Windows;
  /** The last evaluation that is on disk and in its window. */
  settledSeq: () => number;
}

export function createWindowKeeper({ queue, windows, settledSeq }: KeeperContext): TailKeeper {
  return new TailKeeper({
    isDue: () => settledSeq() - windows.watermark > TAIL_ROWS_MAX || windows.isOverfull(),
    async save() {
      const reached = settledSeq();
      const agentNos = windows.dirty();
      for (let start = 0; start < agentNos.length; start += SLICE) {
        await queue.write((transaction) => windows.save(transaction, agentNos.slice(start, start + SLICE)));
      }
      await queue.write((transaction) => windows.moveWatermark(transaction, reached));
      windows.trim();
    },
  });
}
