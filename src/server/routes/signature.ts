import type { IncomingMessage } from 'node:http';

/** The signature of a batch, as the header has it. */
export function signatureOf({ headers }: IncomingMessage): { header: string | undefined } {
  const header = headers['x-renown-signature'];
  return { header: header === undefined ? undefined : String(header) };
}

/** For the document. */
export const SIGNATURE_HEADER = {
  'X-Renown-Signature':
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA-256 with a signing secret over the time, a dot and the body as it is sent. Good for five minutes, and once.',
};
