/**
 * Verifies a receipt for the command line. Keys and the list of receipts that were taken back are what the command line
 * names; what it does not name comes from the server or the store that it means. Where it names keys in a file it asks nobody.
 */
import { revocationList } from '../core/contract/receipt.ts';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { type JwkSet, type VerifiedReceipt, verifyReceipt } from '../sdk/verify-receipt.ts';
import type { CommandInput } from './command.ts';
import type { Io } from './io.ts';
import { readText } from './read-text.ts';
import { withApi } from './with-api.ts';

const JWKS_PATH = '/.well-known/jwks.json';

/** Reads a path of the server that issued the receipt. */
type Ask = (path: string) => Promise<unknown>;

interface Surroundings {
  io: Io;
  /** Null where only files were named. */
  ask: Ask | null;
}

export function verifyReceiptText(text: string, input: CommandInput, io: Io): Promise<VerifiedReceipt> {
  const { jwks, revocations, url } = input.options;
  if (typeof jwks === 'string' && (url === undefined || revocations !== undefined))
    return verifyWith(text, input, { io, ask: askerOf(jwks, io) });
  return withApi(input, io, (api) => verifyWith(text, input, { io, ask: (path) => api({ path }) }));
}

async function verifyWith(
  text: string,
  { options }: CommandInput,
  { io, ask }: Surroundings,
): Promise<VerifiedReceipt> {
  const { jwks, revocations, issuer, agent } = options;
  const expected = {
    ...(typeof issuer === 'string' && { issuer }),
    ...(typeof agent === 'string' && { subject: agent }),
  };
  const ofOne = typeof issuer === 'string' ? `?org=${encodeURIComponent(issuer)}` : '';
  const keys = typeof jwks === 'string' ? await readJson(jwks, io) : await ask?.(`${JWKS_PATH}${ofOne}`);
  if (!Array.isArray((keys as JwkSet | null)?.keys))
    throw new RenownError('unreadable_input', 'The keys are no JWK set.');
  const verified = await verifyReceipt(text, keys as JwkSet, expected);
  if (!verified.valid) return verified;
  const { iss } = verified.claims;
  const path = `/public/${encodeURIComponent(iss)}/revocations`;
  const list = typeof revocations === 'string' ? await readJson(revocations, io) : await ask?.(path);
  if (list === undefined) {
    io.stderr.write('Nobody was asked whether it was taken back; --revocations does.\n');
    return verified;
  }
  return verifyReceipt(text, keys as JwkSet, { ...expected, revoked: toRevoked(list, iss) });
}

/** A list of another org would clear every receipt of this one. */
function toRevoked(list: unknown, issuer: string): string[] {
  const { data } = revocationList.safeParse(list);
  if (!data)
    throw new RenownError(
      'unreadable_input',
      'What came for the receipts that were taken back is no such list. Give the one at /public/<org>/revocations.',
    );
  if (data.org !== issuer)
    throw new RenownError(
      'invalid_request',
      `The receipt is of ${issuer}, and the list of those taken back is of ${data.org}.`,
    );
  return data.items.map(({ receipt_id }) => receipt_id);
}

/** Keys that come from a server come with the list of the same server. */
function askerOf(jwks: string, io: Io): Ask | null {
  const [, base] = /^(https?:.*)\/\.well-known\/jwks\.json(?:\?.*)?$/.exec(jwks) ?? [];
  return base === undefined ? null : (path) => readJson(`${base}${path}`, io);
}

async function readJson(from: string, io: Io): Promise<unknown> {
  const text = /^https?:/.test(from)
    ? await fetchText(from)
    : await readText(from, { io, bytesMax: LIMITS.scoreInputBytesMax });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RenownError('invalid_json', `${from} is not JSON.`, { cause });
  }
}

async function fetchText(url: string): Promise<string> {
  const answer = await fetch(url).catch((cause) => {
    throw new RenownError('server_unavailable', `${url} does not answer.`, { cause });
  });
  if (!answer.ok) throw new RenownError('server_unavailable', `${url} answered ${answer.status}.`);
  return answer.text();
}
