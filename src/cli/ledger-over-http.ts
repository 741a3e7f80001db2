import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type ErrorBody, RenownError } from '../core/errors.ts';
import type { ServerFile } from '../server/server-file.ts';
import { parseLines, toLine } from '../service/ledger-file.ts';
import type { LedgerRow } from '../store/store.ts';
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
    ask: (org, { path, method = 'GET', body }) =>
      json(path, { org, method, ...(body !== undefined && { body: JSON.stringify(body) }) }),
    revokeKey: (org, keyId) => json(keyPath(keyId), { method: 'DELETE', org }),
    upkeep: {
      async *export() {
        const { body } = await ask('/local/export');
        if (body) yield* parseLines(createInterface({ input: Readable.fromWeb(body as never) }));
      },
      async restore(rows) {
        const counts = { restored: 0, present: 0 };
        for await (const lines of batchesOf(rows)) {
          const asking = { method: 'POST', body: lines, type: 'application/x-ndjson' };
          const { restored, present } = await json<typeof counts>('/local/import', asking);
          counts.restored += restored;
          counts.present += present;
        }
        return counts;
      },
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

async function* batchesOf(rows: AsyncIterable<LedgerRow>): AsyncGenerator<string> {
  let lines: string[] = [];
  for await (const row of rows) {
    lines.push(JSON.stringify(toLine(row)));
    if (lines.length < IMPORT_LINES) continue;
    yield lines.join('\n');
    lines = [];
  }
  if (lines.length > 0) yield lines.join('\n');
}
