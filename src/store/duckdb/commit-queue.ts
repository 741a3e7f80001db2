/**
 * Shared commits. A commit costs about the same whatever is in it, so writes that arrive while one is running wait for
 * the next and go down together; each caller is answered when its own commit is on disk, and never before.
 *
 * While one group is being committed, which is work for the disk, the next is already prepared, which is work for us.
 */
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { toStoreError } from './errors.ts';
import type { Transaction } from './transaction.ts';

/**
 * One write. It prepares its rows at once, may refuse by throwing a RenownError before it has written anything, and
 * returns what to do once the commit is down: bring the memory up to date, and make the answer. A write that queries
 * waits for the commits before it.
 */
export type Write<T> = (transaction: Transaction) => Promise<() => T | Promise<T>>;

interface Waiting {
  rows: number;
  prepare(transaction: Transaction): Promise<void>;
  committed(): Promise<void>;
  failed(error: unknown): void;
}

interface QueueOptions {
  /** A transaction that begins when the promise resolves. */
  begin(after: Promise<void>, previous: Transaction | null): Transaction;
  /** Called when a group is on disk and in memory, with what `prepared` gave for it. */
  settled(mark: number): void;
  /** Called when all writes of a group are prepared: how far the ledger will reach with it. */
  prepared(): number;
}

export class CommitQueue {
  readonly #options: QueueOptions;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** `rows` says how much there is to it, so that no group grows too large. */
  write<T>(write: Write<T>, rows = 1): Promise<T> {
    if (this.#closed) return Promise.reject(new RenownError('store_unavailable', 'The store is closed.'));
    if (this.#waiting.length >= LIMITS.writesWaitingMax) {
      return Promise.reject(
        new RenownError(
          'store_unavailable',
          `${LIMITS.writesWaitingMax} writes are waiting for the store. Try again shortly.`,
        ),
      );
    }
    return new Promise<T>((resolve, reject) => {
      let finish: (() => T | Promise<T>) | undefined;
      this.#waiting.push({
        rows,
        async prepare(transaction) {
          finish = await write(transaction);
        },
        async committed() {
          if (finish) resolve(await finish());
        },
        failed: reject,
      });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when everything that was accepted is down; refuses what comes after. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    // Let everything that arrives in this turn of the event loop share the first commit as well.
    await nextTurn();
    let before: { transaction: Transaction; done: Promise<void> } | null = null;
    while (this.#waiting.length > 0 || before) {
      const group = this.#takeGroup();
      if (group.length === 0) {
        await before?.done;
        before = null;
        continue;
      }
      const earlier: Promise<void> = before?.done ?? Promise.resolve();
      const transaction = this.#options.begin(earlier, before?.transaction ?? null);
      const ready = await this.#prepare(group, transaction);
      before = { transaction, done: ready ? this.#commit(ready, transaction) : earlier };
    }
    this.#running = null;
  }

  #takeGroup(): Waiting[] {
    let rows = 0;
    const fits = this.#waiting.findIndex((waiting, i) => {
      rows += waiting.rows;
      return i > 0 && rows > LIMITS.commitRowsMax;
    });
    return this.#waiting.splice(0, fits === -1 ? this.#waiting.length : fits);
  }

  /** Prepares the writes one after another. One that refuses is told so, and the others go on without it. */
  async #prepare(
    group: Waiting[],
    transaction: Transaction,
  ): Promise<{ writes: Waiting[]; mark: number } | null> {
    const writes: Waiting[] = [];
    try {
      for (const waiting of group) {
        try {
          await waiting.prepare(transaction);
          writes.push(waiting);
        } catch (error) {
          if (!(error instanceof RenownError)) throw error;
          waiting.failed(error);
        }
      }
      transaction.seal();
      const mark = this.#options.prepared();
      // Only the commit itself goes on beside the preparing of the next group: each step before it needs this thread.
      await transaction.write();
      return { writes, mark };
    } catch (error) {
      await transaction.rollback();
      for (const waiting of group) waiting.failed(toStoreError(error));
      return null;
    }
  }

  async #commit(
    { writes, mark }: { writes: Waiting[]; mark: number },
    transaction: Transaction,
  ): Promise<void> {
    try {
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      for (const waiting of writes) waiting.failed(toStoreError(error));
      return;
    }
    // In their order: an agent that was written to and then deleted must end as deleted in memory too.
    for (const waiting of writes)
      await waiting.committed().catch((error) => waiting.failed(toStoreError(error)));
    this.#options.settled(mark);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
