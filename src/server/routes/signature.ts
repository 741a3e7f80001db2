import type { IncomingMessage } from 'node:http';

/** The signature of a batch, as the header has it. */
export function signatureOf({ headers }: IncomingMessage): { header: string | undefined } {
  const header = headers['x-renown-signature'];
  return { header: header === undefined ? undefined : String(header) };
}
