import type { Store } from '../store/store.ts';
import type { ChangeHub } from './change-hub.ts';
import type { KeyRing } from './key-ring.ts';
import type { RunBell } from './run-bell.ts';
import type { SettingsBook } from './settings-book.ts';
import type { SuiteBook } from './suite-book.ts';
import type { Vault } from './vault.ts';

/** What use cases work with. They know the port of the store, and no engine behind it. */
export interface ServiceContext {
  store: Store;
  /** Epoch milliseconds. */
  clock: () => number;
  newId: () => string;
  /** Unguessable text for keys and secrets, so many bytes of it in hex. */
  newSecret: (bytes: number) => string;
  /** The gates that the server runs over what it is asked to evaluate, org by org. */
  suites: SuiteBook;
  keys: KeyRing;
  settings: SettingsBook;
  vault: Vault;
  hub: ChangeHub;
  runBell: RunBell;
}

/** On whose behalf something is done. */
export interface Caller {
  orgId: string;
  /** The id of a key, `cli`, or `owner` for whoever came to the dashboard by the link of this machine. */
  actor: string;
}
