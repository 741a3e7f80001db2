/**
 * The writes of one node, one after another. An insert costs about the same whatever is in it, so appends of one kind that
 * wait behind each other are handed over together; everything else runs alone.
 */
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';

/** Takes what several callers bring, and answers each. */
export type GroupWrite<P, R> = (payloads: readonly P[]) => Promise<R[]>;

interface Waiting {
  /** Writes with the same one may share; null for one that runs alone. */
  write: GroupWrite<unknown, unknown> | null;
  payload: unknown;
  rows: number;
  run: (() => Promise<unknown>) | null;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class WriteQueue {
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  /** Runs alone, after all that was asked for before it. */
  run<T>(run: () => Promise<T>): Promise<T> {
    return this.#enqueue({ write: null, payload: null, rows: 1, run }) as Promise<T>;
  }

  /** Joins the appends of the same kind that wait. `rows` says how much there is to it. */
  append<P, R>(write: GroupWrite<P, R>, payload: P, rows: number): Promise<R> {
    const shared = write as GroupWrite<unknown, unknown>;
    return this.#enqueue({ write: shared, payload, rows, run: null }) as Promise<R>;
  }

  /** Resolves when everything that was accepted is done; refuses what comes after. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  #enqueue(waiting: Omit<Waiting, 'resolve' | 'reject'>): Promise<unknown> {
    if (this.#closed) return Promise.reject(new RenownError('store_unavailable', 'The store is closed.'));
    if (this.#waiting.length >= LIMITS.writesWaitingMax) {
      return Promise.reject(
        new RenownError(
          'store_unavailable',
          `${LIMITS.writesWaitingMax} writes are waiting for the store. Try again shortly.`,
        ),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...waiting, resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    // Let everything that arrives in this turn of the event loop share the first insert as well.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      const [first] = group;
      try {
        const answers = first?.run
          ? [await first.run()]
          : await first?.write?.(group.map(({ payload }) => payload));
        group.forEach((waiting, i) => {
          waiting.resolve(answers?.[i]);
        });
      } catch (error) {
        for (const waiting of group) waiting.reject(error);
      }
    }
    this.#running = null;
  }

  #takeGroup(): Waiting[] {
    const [first] = this.#waiting;
    let rows = 0;
    const end = this.#waiting.findIndex((waiting, i) => {
      rows += waiting.rows;
      return (
        i > 0 && (waiting.write === null || waiting.write !== first?.write || rows > LIMITS.commitRowsMax)
      );
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
