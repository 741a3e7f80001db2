import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { RenownError } from '../core/errors.ts';
import {
  createKey,
  createOrg,
  listKeys,
  revokeKey,
  toKeyWire,
  toNewKeyWire,
  toOrgWire,
} from '../service/accounts.ts';
import { KeyRing } from '../service/key-ring.ts';
import type { Store } from '../store/store.ts';
import type { Ledger } from './ledger.ts';

const actor = 'cli';

/** The ledger in a store that this process has open. */
export function ledgerInStore(store: Store): Ledger {
  const context = {
    store,
    clock: Date.now,
    newId: uuidv7,
    newSecret: (bytes: number) => randomBytes(bytes).toString('hex'),
    keys: new KeyRing(store, Date.now),
  };
  return {
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
