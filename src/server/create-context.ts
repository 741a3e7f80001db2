import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { ChangeHub } from '../service/change-hub.ts';
import type { ServiceContext } from '../service/context.ts';
import { KeyRing } from '../service/key-ring.ts';
import { RunBell } from '../service/run-bell.ts';
import { SettingsBook } from '../service/settings-book.ts';
import { SuiteBook } from '../service/suite-book.ts';
import { createVault } from '../service/vault.ts';
import type { Store } from '../store/store.ts';
import type { Configuration } from './configuration.ts';
import { readMasterKey } from './master-key.ts';

/** What the use cases work with, over a store that is open. */
export async function createContext(
  store: Store,
  { configuration, clock = Date.now }: { configuration: Configuration; clock?: () => number },
): Promise<ServiceContext> {
  return {
    store,
    clock,
    newId: uuidv7,
    newSecret: (bytes) => randomBytes(bytes).toString('hex'),
    suites: new SuiteBook(store, clock),
    keys: new KeyRing(store, clock),
    settings: new SettingsBook(store, clock),
    vault: createVault(await readMasterKey(configuration)),
    hub: new ChangeHub(),
    runBell: new RunBell(),
  };
}
