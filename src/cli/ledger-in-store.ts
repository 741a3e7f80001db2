import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { RenownError } from '../core/errors.ts';
import { type Asking, createInProcess } from '../server/in-process.ts';
import { monitorRoutes } from '../server/routes/monitors.ts';
import { runRoutes } from '../server/routes/runs.ts';
import { sessionRoutes } from '../server/routes/sessions.ts';
import {
  createKey,
  createOrg,
  listKeys,
  revokeKey,
  toKeyWire,
  toNewKeyWire,
  toOrgWire,
} from '../service/accounts.ts';
import { ChangeHub } from '../service/change-hub.ts';
import type { ServiceContext } from '../service/context.ts';
import { KeyRing } from '../service/key-ring.ts';
import { RunBell } from '../service/run-bell.ts';
import { Scheduler } from '../service/scheduler.ts';
import { SettingsBook } from '../service/settings-book.ts';
import { SuiteBook } from '../service/suite-book.ts';
import { createVault } from '../service/vault.ts';
import type { Store } from '../store/store.ts';
import type { Ledger } from './ledger.ts';

const actor = 'cli';

/** The ledger in a store that this process has open. Whoever is done with it closes it, and the store after it. */
export function ledgerInStore(store: Store): Ledger & { close(): Promise<void> } {
  const context = {
    store,
    clock: Date.now,
    newId: uuidv7,
    newSecret: (bytes: number) => randomBytes(bytes).toString('hex'),
    keys: new KeyRing(store, Date.now),
  };
  let sessions: ReturnType<typeof openSessions> | undefined;
  return {
    async ask<T>(orgId: string, asking: Asking) {
      sessions ??= openSessions(context);
      const { answer } = await sessions;
      return (await answer({ orgId, actor }, asking)) as T;
    },
    async close() {
      await (await sessions)?.scheduler.stop();
    },
    listOrgs: async () => ({ items: (await store.orgs.list()).map(toOrgWire) }),
    async createOrg({ orgId, name }) {
      const { org, pk, sk } = await createOrg(context, { orgId, name, actor });
      return { ...toOrgWire(org), keys: { pk: toNewKeyWire(pk), sk: toNewKeyWire(sk) } };
    },
    listKeys: (orgId) => listKeys(context, { orgId, actor }),
    createKey: async (orgId, kind) => toNewKeyWire(await createKey(context, { orgId, actor }, kind)),
    revokeKey: async (orgId, keyId) => toKeyWire(await revokeKey(context, { orgId, actor }, keyId)),
    upkeep: store.upkeep,
    async backup(file) {
      if (store.upkeep.backup === null)
        throw new RenownError('usage', 'This store has no file to copy; use `renown export`.');
      await store.upkeep.backup(file);
    },
  };
}

/** The session routes, and somebody to carry out the runs that are asked for: both as a server has them. */
async function openSessions(
  context: Pick<ServiceContext, 'store' | 'clock' | 'newId' | 'newSecret' | 'keys'>,
) {
  const whole: ServiceContext = {
    ...context,
    suites: new SuiteBook(context.store, context.clock),
    settings: new SettingsBook(context.store, context.clock),
    // Nothing that is sealed is read here: there are no signatures within a process.
    vault: createVault(''),
    hub: new ChangeHub(),
    runBell: new RunBell(),
  };
  const scheduler = new Scheduler(whole, { info() {}, error() {} }, { withMonitors: false });
  const routes = [...sessionRoutes(whole), ...runRoutes(whole), ...monitorRoutes(whole)];
  return { answer: createInProcess(routes), scheduler };
}
