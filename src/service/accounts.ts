/** Orgs and their keys. A key is shown once, when it is made, and stored as its hash. */
import { toTime, toTimeOrNull } from '../core/contract/fields.ts';
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

export async function listKeys({ store }: AccountContext, { orgId }: Caller) {
  return { items: (await store.keys.list(orgId)).map(toKeyWire) };
}

export async function revokeKey(context: AccountContext, caller: Caller, keyId: string): Promise<ApiKey> {
  const { store, clock, keys } = context;
  const entry = auditEntry(context, caller, { action: 'key.revoke', target: keyId });
  await store.keys.revoke(caller.orgId, keyId, clock(), entry);
  keys.forget(keyId);
  const revoked = (await store.keys.list(caller.orgId)).find((key) => key.keyId === keyId);
  if (!revoked) throw new RenownError('not_found', `The org ${caller.orgId} has no key of that id.`);
  return revoked;
}

export function toOrgWire({ orgId, name, createdAt }: Org) {
  return { org_id: orgId, name, created_at: toTime(createdAt) };
}

export function toKeyWire({ keyId, kind, hint, createdAt, revokedAt, lastUsedAt }: ApiKey) {
  return {
    key_id: keyId,
    kind,
    hint,
    created_at: toTime(createdAt),
    revoked_at: toTimeOrNull(revokedAt),
    last_used_at: toTimeOrNull(lastUsedAt),
  };
}

export function toNewKeyWire(key: NewKey) {
  return { ...toKeyWire(key), key: key.secret };
}
