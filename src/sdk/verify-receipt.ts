/**
 * Verifies a receipt without asking anybody: the public keys of its issuer are all it needs, and they may have been
 * fetched long ago. Uses the Web Crypto of the runtime. A bad receipt is an answer with its reason, never an exception.
 */
import type { ReceiptClaims } from '../core/receipt.ts';
import { RECEIPT_TYPE } from '../core/receipt-type.ts';

/** As `/.well-known/jwks.json` has it; keys of other kinds are passed over. */
export interface JwkSet {
  keys: readonly { kid?: string; kty?: string; crv?: string; x?: string }[];
}

export type VerifiedReceipt = { valid: true; claims: ReceiptClaims } | { valid: false; reason: string };

interface VerifyOptions {
  now?: number;
  /** Ids of receipts from the issuer's public list, where that has been fetched. */
  revoked?: readonly string[];
  /** The org that it must be of. Keys of a server that serves many orgs would vouch for a receipt of any of them. */
  issuer?: string;
  /** The agent that it must be about. */
  subject?: string;
}

export async function verifyReceipt(
  receipt: string,
  jwks: JwkSet,
  { now = Date.now(), revoked = [], issuer, subject }: VerifyOptions = {},
): Promise<VerifiedReceipt> {
  // Both come from others, and may be anything in spite of their types.
  const parts = typeof receipt === 'string' ? receipt.trim().split('.') : [];
  const [head = '', body = '', signature = '', ...rest] = parts;
  const header = parsePart(head) as { alg?: unknown; typ?: unknown; kid?: unknown } | null;
  if (rest.length > 0 || !header || header.alg !== 'EdDSA' || header.typ !== RECEIPT_TYPE)
    return refused('It is not a receipt.');
  const keys: (JwkSet['keys'][number] | null)[] = Array.isArray(jwks?.keys) ? jwks.keys : [];
  const jwk = keys.find((key) => key?.kid === header.kid && key?.kty === 'OKP' && key.crv === 'Ed25519');
  if (!jwk) return refused('None of the keys is the one that signed it.');
  if (!(await isSigned(`${head}.${body}`, signature, String(jwk.x))))
    return refused('The signature does not fit.');
  const claims = parsePart(body) as ReceiptClaims | null;
  if (!claims || typeof claims.exp !== 'number' || typeof claims.renown !== 'object')
    return refused('It is not a receipt.');
  if (issuer !== undefined && claims.iss !== issuer)
    return refused(`It was issued by ${claims.iss}, and not by ${issuer}.`);
  if (subject !== undefined && claims.sub !== subject)
    return refused(`It is about ${claims.sub}, and not about ${subject}.`);
  if (claims.exp * 1000 <= now) return refused('It has expired.');
  if (revoked.includes(claims.jti)) return refused('It was taken back by whoever issued it.');
  return { valid: true, claims };
}

function refused(reason: string): VerifiedReceipt {
  return { valid: false, reason };
}

async function isSigned(text: string, signature: string, x: string): Promise<boolean> {
  const bytes = fromBase64Url(signature);
  const raw = fromBase64Url(x);
  if (bytes?.length !== 64 || raw?.length !== 32) return false;
  try {
    const key = await crypto.subtle.importKey('raw', raw, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, bytes, new TextEncoder().encode(text));
  } catch {
    // A point that is on no curve.
    return false;
  }
}

function parsePart(part: string): unknown {
  const bytes = fromBase64Url(part);
  if (!bytes) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Strict: a text that is not exactly what encoding its bytes gives would let two texts be one receipt. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text)) return null;
  try {
    const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const again = btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    return again === text ? Uint8Array.from(plain, (character) => character.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}
