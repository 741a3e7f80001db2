/** A server of its own for a test: the real application on a real socket, over a ledger in a new folder. */
import { mkdtempSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfiguration } from '../../src/server/configuration.ts';
import { type Serving, serve } from '../../src/server/serve.ts';
import { createOrg } from '../../src/service/accounts.ts';
import { openStore } from '../../src/store/open-store.ts';

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  json: any;
}

export interface Call {
  method?: string;
  key?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a text or bytes already. */
  body?: unknown;
}

export interface TestServer extends Serving {
  data: string;
  pk: string;
  sk: string;
  log: string[];
  /** With the `pk` unless another key is given; the path goes out exactly as written. */
  call(path: string, call?: Call): Promise<Answered>;
}

export async function startServer({
  data = join(mkdtempSync(join(tmpdir(), 'renown-')), 'ledger.duckdb'),
  settings = {},
  clock = Date.now,
}: {
  data?: string;
  settings?: Record<string, unknown>;
  clock?: () => number;
} = {}): Promise<TestServer> {
  const configuration = readConfiguration({
    flags: { data, port: '0' },
    env: {},
    file: { otlp_port: 0, ...settings },
  });
  const log: string[] = [];
  const serving = await serve({
    store: await openStore(`duckdb:${data}`, { clock }),
    configuration,
    log: pino({ base: null }, { write: (line: string) => log.push(line) }),
    version: '0.0.0',
    clock,
  });
  const [pk, sk] = await keysOf(serving, 'acme');
  return {
    ...serving,
    data,
    pk,
    sk,
    log,
    call: (path, call = {}) => send(serving.url, path, { key: pk, ...call }),
  };
}

/** A new org of a server, and its keys. */
export async function keysOf({ context }: Serving, orgId: string): Promise<[pk: string, sk: string]> {
  const { pk, sk } = await createOrg(context, { orgId, name: orgId, actor: 'cli' });
  return [pk.secret, sk.secret];
}

export function send(url: string, path: string, { method, key, headers, body }: Call): Promise<Answered> {
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path,
        method: method ?? (bytes === undefined ? 'GET' : 'POST'),
        agent: false,
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(bytes !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = String(response.headers['content-type']).startsWith('application/json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: isJson && text !== '' ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}
