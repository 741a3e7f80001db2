/** Orgs and their keys. A key is shown once, when it is made, and stored as its hash. */
import { RenownError } from '../core/errors.ts';
import type { ApiKey, Org } from '../store/store.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';
import { hashOf } from './key-ring.ts';

type AccountContext = Pick<ServiceContext, 'store' | 'clock' | 'newId' | 'newSecret' | 'keys'>;

/** A key with the text that only its maker ever sees. */
export interface NewKey extends ApiKey {
  secret: string;
}

const SECRET_BYTES = 20;
const HINT_LENGTH = 4;

/** A new org with its two keys. */
export async function createOrg(
  context: AccountContext,
  { orgId, name, actor }: { orgId: string; name: string; actor: string },
): Promise<{ org: Org; pk: NewKey; sk: NewKey }> {
  const org = { orgId, name, createdAt: context.clock() };
  const caller = { orgId, actor };
  await context.store.orgs.create(org);
  await context.store.audit.append(
    orgId,
    auditEntry(context, caller, { action: 'org.create', target: orgId }),
  );
  return { org, pk: await createKey(context, caller, 'pk'), sk: await createKey(context, caller, 'sk') };
}

export async function createKey(
  context: AccountContext,
  caller: Caller,
  kind: ApiKey['kind'],
): Promise<NewKey> {
  if (!(await context.store.orgs.get(caller.orgId))) {
    throw new RenownError(
      'not_found',
      `There is no org ${caller.orgId}. Make it with \`renown orgs create\`.`,
    );
  }
  const secret = `${kind}_live_${context.newSecret(SECRET_BYTES)}`;
  const key: ApiKey = {
    keyId: context.newId(),
    orgId: caller.orgId,
    kind,
    hash: hashOf(secret),
    hint: secret.slice(-HINT_LENGTH),
    createdAt: context.clock(),
    revokedAt: null,
    lastUsedAt: null,
  };
  const note = `${kind} …${key.hint}`;
  const entry = auditEntry(context, caller, { action: 'key.create', target: key.keyId, note });
  await context.store.keys.create(key, entry);
  return { ...key, secret };
}

export async function revokeKey(context: AccountContext, caller: Caller, keyId: string): Promise<void> {
  const { store, clock, keys } = context;
  const entry = auditEntry(context, caller, { action: 'key.revoke', target: keyId });
  const revoked = await store.keys.revoke(caller.orgId, keyId, clock(), entry);
  if (!revoked) throw new RenownError('not_found', `The org ${caller.orgId} has no key of that id.`);
  keys.forget(keyId);
}
