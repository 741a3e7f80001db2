import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type ErrorBody, RenownError } from '../core/errors.ts';
import type { ServerFile } from '../server/server-file.ts';
import type { Ledger } from './ledger.ts';

/** Lines sent in one request: small enough for a server that waits only so long for a request to arrive. */
const IMPORT_LINES = 5_000;

/** The ledger of a running server. */
export function ledgerOverHttp({ url, token }: ServerFile): Ledger {
  async function ask(
    path: string,
    { method = 'GET', org = '', body, type = 'application/json' }: Asking = {},
  ): Promise<Response> {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(org !== '' && { 'x-renown-org': org }),
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
    }).catch((cause) => {
      throw new RenownError('server_unavailable', `The server at ${url} does not answer. Try again.`, {
        cause,
      });
    });
    if (answer.ok) return answer;
    const { code, error, details } = (await answer.json()) as ErrorBody;
    throw new RenownError(code, error, details ? { details } : {});
  }
  async function json<T>(path: string, asking?: Asking): Promise<T> {
    return (await ask(path, asking)).json() as Promise<T>;
  }
  const keyPath = (keyId: string) => `/v1/keys/${encodeURIComponent(keyId)}`;

  return {
    listOrgs: () => json('/local/orgs'),
    createOrg: ({ orgId, name }) =>
      json('/local/orgs', { method: 'POST', body: JSON.stringify({ org_id: orgId, name }) }),
    listKeys: (org) => json('/v1/keys', { org }),
    createKey: (org, kind) => json('/v1/keys', { method: 'POST', org, body: JSON.stringify({ kind }) }),
    revokeKey: (org, keyId) => json(keyPath(keyId), { method: 'DELETE', org }),
    async *exportLines() {
      const { body } = await ask('/local/export');
      if (body) yield* createInterface({ input: Readable.fromWeb(body as never) });
    },
    async importLines(lines) {
      const counts = { restored: 0, present: 0 };
      let first = 1;
      for await (const batch of batches(lines)) {
        const asking = { method: 'POST', body: batch.join('\n'), type: 'application/x-ndjson' };
        const { restored, present } = await json<typeof counts>(`/local/import?first_line=${first}`, asking);
        counts.restored += restored;
        counts.present += present;
        first += batch.length;
      }
      return counts;
    },
    // The server writes it, and may have been started in another folder.
    backup: async (file) => {
      await ask('/local/backup', { method: 'POST', body: JSON.stringify({ file: resolve(file) }) });
    },
  };
}

interface Asking {
  method?: string;
  org?: string;
  body?: string;
  type?: string;
}

async function* batches(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < IMPORT_LINES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
