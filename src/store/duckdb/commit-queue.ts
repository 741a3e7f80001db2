/**
 * Shared commits. A commit costs about the same whatever is in it, so writes that arrive while one is running wait for
 * the next and go down together; each caller is answered when its own commit is on disk, and never before.
 */
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { toStoreError } from './errors.ts';
import type { Transaction } from './transaction.ts';

/**
 * One write. It runs inside a transaction, may refuse by throwing a RenownError before it has written anything, and
 * returns what to do once the commit is down: bring the memory up to date, and make the answer.
 */
export type Write<T> = (transaction: Transaction) => Promise<() => T | Promise<T>>;

interface Waiting {
  run(transaction: Transaction): Promise<void>;
  committed(): Promise<void>;
  failed(error: unknown): void;
}

export class CommitQueue {
  readonly #begin: () => Promise<Transaction>;
  readonly #onSettled: () => void;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  /** `onSettled` is called between commits, when the memory is up to date with all that is on disk. */
  constructor(begin: () => Promise<Transaction>, onSettled: () => void) {
    this.#begin = begin;
    this.#onSettled = onSettled;
  }

  write<T>(write: Write<T>): Promise<T> {
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
        async run(transaction) {
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
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#commit(group);
    }
    this.#running = null;
  }

  async #commit(group: Waiting[]): Promise<void> {
    let kept: Waiting[] = [];
    try {
      const transaction = await this.#begin();
      try {
        kept = await runAll(group, transaction);
        await transaction.commit();
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    } catch (error) {
      for (const waiting of group) waiting.failed(toStoreError(error));
      return;
    }
    await Promise.all(
      kept.map((waiting) => waiting.committed().catch((error) => waiting.failed(toStoreError(error)))),
    );
    this.#onSettled();
  }
}

/** Runs the writes one after another. One that refuses is told so, and the others go on without it. */
async function runAll(group: Waiting[], transaction: Transaction): Promise<Waiting[]> {
  const kept: Waiting[] = [];
  for (const waiting of group) {
    try {
      await waiting.run(transaction);
      kept.push(waiting);
    } catch (error) {
      if (!(error instanceof RenownError)) throw error;
      waiting.failed(error);
    }
  }
  return kept;
}
