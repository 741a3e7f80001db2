import type { Store } from '../../../src/store/store.ts';

export interface Engine {
  /** A ledger with nothing in it. Its clock begins at START and moves on by one with each look. */
  open(): Promise<Store>;
  /** Closes a ledger and opens it again, as a restart does; null for an engine that forgets. */
  reopen: ((store: Store) => Promise<Store>) | null;
}

/** What the parts of the suite share: the engine, and a new ledger of it for each test. */
export interface Suite {
  engine: Engine;
  store: Store;
}

export const START = 1_780_000_000_000;

export function createClock(): () => number {
  let now = START;
  return () => now++;
}
