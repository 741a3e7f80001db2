/**
 * Keeps what the port promises of `close`, the same for every engine: what is under way comes to its end first, and what
 * comes after is refused. An engine that is taken away from under a reader may keep its file locked, or end the process.
 */
import { RenownError } from '../core/errors.ts';
import type { LedgerRow, Store } from './store.ts';

type Method = (...args: unknown[]) => Promise<unknown>;

export function untilClosed(store: Store): Store {
  const door = new Door();
  const { close, ...parts } = store;
  const watched = Object.entries(parts).map(([name, part]) => [name, watch(part, door)]);
  const { upkeep, ...others } = Object.fromEntries(watched) as typeof parts;
  let closed: Promise<void> | undefined;
  return {
    ...others,
    upkeep: { ...upkeep, export: () => door.passRows(store.upkeep.export()) },
    close() {
      closed ??= door.close().then(close);
      return closed;
    },
  };
}

function watch(part: object, door: Door): object {
  const methods = Object.entries(part as Record<string, Method | null>);
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      // Null is what an engine has not.
      method && ((...args: unknown[]) => door.pass(() => method(...args))),
    ]),
  );
}

/** Whoever is inside may finish; when it is closed, nobody else comes in. */
class Door {
  #inside = 0;
  #isClosed = false;
  #onEmpty: () => void = () => undefined;

  async pass<T>(work: () => Promise<T>): Promise<T> {
    this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async *passRows(rows: AsyncIterable<LedgerRow>): AsyncGenerator<LedgerRow> {
    this.#enter();
    try {
      yield* rows;
    } finally {
      this.#leave();
    }
  }

  /** Resolves when nobody is inside any more. */
  close(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      if (this.#inside === 0) resolve();
    });
  }

  #enter(): void {
    if (this.#isClosed) throw new RenownError('store_unavailable', 'The store is closed.');
    this.#inside++;
  }

  #leave(): void {
    if (--this.#inside === 0) this.#onEmpty();
  }
}
