/**
 * The Ed25519 keys that sign receipts, one for each org, made when first needed. The private half is sealed with the master
 * key; the public half is for everyone. A key's id is its thumbprint (RFC 7638), so that it names itself.
 */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';

const KIND = 'receipt_key';
/** One key at a time: of two nodes that make the first one, the second takes the first's. */
const CURRENT = 'current';

interface KeyBody {
  kid: string;
  x: string;
  sealed: string;
}

export interface ReceiptKey {
  kid: string;
  privateKey: KeyObject;
}

export async function receiptKey(context: ServiceContext, caller: Caller): Promise<ReceiptKey> {
  const body = (await findKey(context, caller.orgId)) ?? (await createKey(context, caller));
  const der = Buffer.from(context.vault.open(body.sealed), 'base64');
  return { kid: body.kid, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
}

/** The public keys as a JWK set: of one org, or of all. */
export async function readJwks(context: ServiceContext, orgId: string | undefined) {
  const orgIds = orgId === undefined ? (await context.store.orgs.list()).map((org) => org.orgId) : [orgId];
  const bodies = await Promise.all(orgIds.slice(0, LIMITS.jwksOrgsMax).map((one) => findKey(context, one)));
  const keys = bodies.flatMap((body) => (body ? [toJwk(body)] : []));
  return { keys };
}

function toJwk({ kid, x }: KeyBody) {
  return { kty: 'OKP' as const, crv: 'Ed25519' as const, x, kid, use: 'sig' as const, alg: 'EdDSA' as const };
}

async function findKey({ store }: ServiceContext, orgId: string): Promise<KeyBody | null> {
  return ((await store.documents.get(orgId, KIND, CURRENT))?.body ?? null) as KeyBody | null;
}

async function createKey(context: ServiceContext, caller: Caller): Promise<KeyBody> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const body: KeyBody = { kid, x, sealed: context.vault.seal(der.toString('base64')) };
  const audit = auditEntry(context, caller, { action: 'receipt_key.create', target: kid });
  try {
    const write = { kind: KIND, id: CURRENT, body, at: context.clock(), expectedVersion: 0 };
    await context.store.documents.put(caller.orgId, write, audit);
    return body;
  } catch (error) {
    const theirs = await findKey(context, caller.orgId);
    if (theirs && error instanceof RenownError && error.code === 'conflict') return theirs;
    throw error;
  }
}
