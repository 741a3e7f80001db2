/**
 * Moves the watermark: every so many evaluations it writes the rows of the windows that have changed, a slice at a time
 * so that no writer waits long, and then notes how far they reach. After a crash the tail beyond the watermark is read
 * again, which is why it must stay short.
 */
import type { CommitQueue } from './commit-queue.ts';
import type { Windows } from './windows.ts';

/** The longest tail: what a reading after a crash may have to look through. */
const TAIL_ROWS_MAX = 250_000;
/** Windows written in one commit: about 4 MB. */
const SLICE = 1_000;

interface KeeperContext {
  queue: CommitQueue;
  windows: Windows;
  /** The last evaluation that is on disk and in its window. */
  settledSeq: () => number;
}

export class WindowKeeper {
  readonly #context: KeeperContext;
  #saving: Promise<void> | null = null;

  constructor(context: KeeperContext) {
    this.#context = context;
  }

  /** To be called between commits. */
  look(): void {
    const { windows, settledSeq } = this.#context;
    const tail = settledSeq() - windows.watermark;
    if (this.#saving === null && (tail > TAIL_ROWS_MAX || windows.isOverfull())) {
      // A failure is no loss: the tail is longer until the next time, and the write that is short of room says so itself.
      this.#saving = this.#save()
        .catch(() => undefined)
        .finally(() => {
          this.#saving = null;
        });
    }
    windows.trim();
  }

  /** Leaves no tail behind. */
  async close(): Promise<void> {
    await this.#saving;
    await this.#save();
  }

  async #save(): Promise<void> {
    const { queue, windows, settledSeq } = this.#context;
    const reached = settledSeq();
    const agentNos = windows.dirty();
    for (let start = 0; start < agentNos.length; start += SLICE) {
      await queue.write((transaction) => windows.save(transaction, agentNos.slice(start, start + SLICE)));
    }
    await queue.write((transaction) => windows.moveWatermark(transaction, reached));
    windows.trim();
  }
}
