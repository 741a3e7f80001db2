/**
 * The Ed25519 keys that sign receipts, for each org one at a time, made when first needed or asked for. The private half is
 * sealed with the master key; the public half is for everyone. A key's id is its thumbprint (RFC 7638), so that it names
 * itself.
 */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isConflict, RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Document } from '../store/store.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';

const KIND = 'receipt_key';
/** One key signs at a time: of two nodes that make the first one, the second takes the first's. */
const CURRENT = 'current';

/** Former keys stand under their own `kid`: their public part, and when they were replaced as the time of the document. */
interface PublicKey {
  kid: string;
  x: string;
}

interface KeyBody extends PublicKey {
  sealed: string;
}

export interface ReceiptKey {
  kid: string;
  privateKey: KeyObject;
}

export async function receiptKey(context: ServiceContext, caller: Caller): Promise<ReceiptKey> {
  const { kid, sealed } = (await findKey(context, caller.orgId)) ?? (await createFirstKey(context, caller));
  const der = Buffer.from(openKey(context, sealed), 'base64');
  return { kid, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
}

/**
 * Receipts are signed with a new key from now on. What the former one signed stays good until it expires, so its public
 * part stays public as long; nothing of this needs the former one to be opened.
 */
export async function replaceReceiptKey(context: ServiceContext, caller: Caller) {
  const { store, clock } = context;
  const { orgId } = caller;
  const current = await store.documents.get(orgId, KIND, CURRENT);
  if (current) {
    await makeRoom(context, orgId);
    const { kid, x } = current.body as KeyBody;
    // First, so that there is no moment at which a receipt cannot be verified.
    await store.documents.put(orgId, { kind: KIND, id: kid, body: { kid, x }, at: clock() });
  }
  return toJwk(await putKey(context, caller, current?.version ?? 0));
}

/** The public keys as a JWK set: of one org, or of all. */
export async function readJwks(context: ServiceContext, orgId: string | undefined) {
  const orgIds = orgId === undefined ? (await context.store.orgs.list()).map((org) => org.orgId) : [orgId];
  const sets = await Promise.all(orgIds.slice(0, LIMITS.jwksOrgsMax).map((one) => publicKeys(context, one)));
  return { keys: sets.flat().map(toJwk) };
}

function toJwk({ kid, x }: PublicKey) {
  return { kty: 'OKP' as const, crv: 'Ed25519' as const, x, kid, use: 'sig' as const, alg: 'EdDSA' as const };
}

async function findKey({ store }: ServiceContext, orgId: string): Promise<KeyBody | null> {
  return ((await store.documents.get(orgId, KIND, CURRENT))?.body ?? null) as KeyBody | null;
}

/** The current one first. One that was about to be replaced stands there twice. */
async function publicKeys(context: ServiceContext, orgId: string): Promise<PublicKey[]> {
  const documents = await keyDocuments(context, orgId);
  const good = documents.filter((one) => !isOver(context, one)).map(({ body }) => body as PublicKey);
  const current = documents.find(({ id }) => id === CURRENT)?.body as PublicKey | undefined;
  return current ? [current, ...good.filter(({ kid }) => kid !== current.kid)] : good;
}

async function keyDocuments({ store }: ServiceContext, orgId: string): Promise<Document[]> {
  // With the current one.
  return (await store.documents.list(orgId, KIND, { limit: LIMITS.formerReceiptKeysMax + 1 })).items;
}

/** Whether everything that a former key has signed has expired. */
function isOver({ clock }: ServiceContext, { id, updatedAt }: Document): boolean {
  return id !== CURRENT && updatedAt + LIMITS.receiptLifetimeSMax * 1000 < clock();
}

async function makeRoom(context: ServiceContext, orgId: string): Promise<void> {
  const documents = await keyDocuments(context, orgId);
  const over = documents.filter((one) => isOver(context, one));
  await Promise.all(over.map(({ id }) => context.store.documents.delete(orgId, KIND, id)));
  if (documents.length - over.length > LIMITS.formerReceiptKeysMax)
    throw new RenownError(
      'conflict',
      `Receipts of ${LIMITS.formerReceiptKeysMax} former keys are still good. Wait until those of the oldest have expired.`,
    );
}

async function createFirstKey(context: ServiceContext, caller: Caller): Promise<KeyBody> {
  try {
    return await putKey(context, caller, 0);
  } catch (error) {
    const theirs = await findKey(context, caller.orgId);
    if (theirs && isConflict(error)) return theirs;
    throw error;
  }
}

async function putKey(context: ServiceContext, caller: Caller, expectedVersion: number): Promise<KeyBody> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const body: KeyBody = { kid, x, sealed: context.vault.seal(der.toString('base64')) };
  const audit = auditEntry(context, caller, { action: 'receipt_key.create', target: kid });
  const write = { kind: KIND, id: CURRENT, body, at: context.clock(), expectedVersion };
  await context.store.documents.put(caller.orgId, write, audit);
  return body;
}

function openKey({ vault }: ServiceContext, sealed: string): string {
  try {
    return vault.open(sealed);
  } catch (cause) {
    throw new RenownError(
      'corrupt_data',
      'The key that signs receipts cannot be opened with this master key. Start with the one it was sealed with, or make a new key with `renown receipt rotate-key`.',
      { cause },
    );
  }
}
