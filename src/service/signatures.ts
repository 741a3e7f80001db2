/**
 * Signed batches: `X-Renown-Signature: t=<unix seconds>,v1=<hex>`, an HMAC-SHA-256 over the time, a dot and the body
 * exactly as it was sent, made with a secret of the org. Two secrets are good at a time, so that one can be exchanged
 * without a gap. A signature is taken once: whoever recorded a request cannot send it again.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { toTime } from '../core/contract/fields.ts';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Document } from '../store/store.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';

const SECRET = 'signing_secret';
const CLAIM = 'signature_claim';
const SECRET_BYTES = 24;

interface SecretBody {
  sealed: string;
  hint: string;
  createdAt: number;
}

/** Makes a secret, and lets go of the oldest beyond the two that may be good at once. */
export async function createSigningSecret(context: ServiceContext, caller: Caller) {
  const { store, vault, clock, newId, newSecret } = context;
  const secret = `ss_live_${newSecret(SECRET_BYTES)}`;
  const body: SecretBody = { sealed: vault.seal(secret), hint: secret.slice(-4), createdAt: clock() };
  const id = newId();
  await store.documents.put(
    caller.orgId,
    { kind: SECRET, id, body, at: clock(), expectedVersion: 0 },
    auditEntry(context, caller, { action: 'signing_secret.create', target: id, note: `…${body.hint}` }),
  );
  const surplus = (await secretsOf(context, caller.orgId)).slice(0, -LIMITS.signingSecretsMax);
  for (const old of surplus) await deleteSigningSecret(context, caller, old.id);
  return { ...toSecretWire(id, body), secret };
}

export async function listSigningSecrets(context: ServiceContext, { orgId }: Caller) {
  const secrets = await secretsOf(context, orgId);
  return { items: secrets.map(({ id, body }) => toSecretWire(id, body as SecretBody)) };
}

export async function deleteSigningSecret(context: ServiceContext, caller: Caller, id: string) {
  const entry = auditEntry(context, caller, { action: 'signing_secret.delete', target: id });
  if (!(await context.store.documents.delete(caller.orgId, SECRET, id, entry))) {
    throw new RenownError('not_found', 'This org has no signing secret of that id.');
  }
  return { deleted: true as const };
}

/**
 * Runs what a batch asks for, as signed when it carries a good signature. A signature that was taken once is refused;
 * when the work itself is refused, its signature is given back, because nothing was stored under it.
 */
export async function withSignature<T>(
  context: ServiceContext,
  { orgId }: Caller,
  { header, body, work }: { header: string | undefined; body: Buffer; work: (signed: boolean) => Promise<T> },
): Promise<T> {
  if (header === undefined) {
    const { require_signatures: required } = await context.settings.read(orgId);
    if (required)
      throw new RenownError(
        'invalid_signature',
        'This org takes signed batches only. Sign it with X-Renown-Signature.',
      );
    return work(false);
  }
  const claim = await verify(context, orgId, { header, body });
  try {
    const at = context.clock();
    await context.store.documents.put(orgId, { kind: CLAIM, id: claim, body: null, at, expectedVersion: 0 });
  } catch (error) {
    if (!(error instanceof RenownError) || error.code !== 'conflict') throw error;
    throw new RenownError('signature_replayed', 'This signature was used before. Sign each request anew.', {
      cause: error,
    });
  }
  try {
    return await work(true);
  } catch (error) {
    await context.store.documents.delete(orgId, CLAIM, claim).catch(() => undefined);
    throw error;
  }
}

/** A claim matters as long as its signature could be sent again. */
export function expireClaims({ store, clock }: ServiceContext): Promise<number> {
  return store.documents.expire(CLAIM, clock() - 2 * LIMITS.signatureToleranceMs);
}

export function sign(secret: string, unixSeconds: number, body: Buffer): string {
  return createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex');
}

/** Answers with what names this signature among those that were taken. */
async function verify(
  context: ServiceContext,
  orgId: string,
  { header, body }: { header: string; body: Buffer },
): Promise<string> {
  const [, time = '', given = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (given === '')
    throw new RenownError(
      'invalid_signature',
      'X-Renown-Signature must read t=<unix seconds>,v1=<64 hex digits>.',
    );
  if (Math.abs(context.clock() - Number(time) * 1000) > LIMITS.signatureToleranceMs) {
    throw new RenownError(
      'invalid_signature',
      'The signature is more than five minutes off. Sign it now, and check the clock.',
    );
  }
  const expected = Buffer.from(given, 'hex');
  for (const { body: secret } of await secretsOf(context, orgId)) {
    const made = Buffer.from(
      sign(context.vault.open((secret as SecretBody).sealed), Number(time), body),
      'hex',
    );
    // By what was signed and not by how it was spelt: a zero before the time makes no other signature.
    if (timingSafeEqual(made, expected))
      return createHash('sha256')
        .update(`${Number(time)},${given}`)
        .digest('hex');
  }
  throw new RenownError(
    'invalid_signature',
    'The signature fits no signing secret of this org and this body.',
  );
}

/** Oldest first. */
async function secretsOf({ store }: ServiceContext, orgId: string): Promise<Document[]> {
  const { items } = await store.documents.list(orgId, SECRET, { limit: 100 });
  return items.sort(
    (a, b) => (a.body as SecretBody).createdAt - (b.body as SecretBody).createdAt || (a.id < b.id ? -1 : 1),
  );
}

function toSecretWire(secretId: string, { hint, createdAt }: SecretBody) {
  return { secret_id: secretId, hint, created_at: toTime(createdAt) };
}
