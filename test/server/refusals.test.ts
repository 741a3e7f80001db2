/** What every endpoint refuses in the same way: each with a code of the table, and nothing of it stored. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/core/errors.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { keysOf, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let foreign: [pk: string, sk: string];
beforeAll(async () => {
  server = await startServer({ settings: { request_timeout_s: 1 } });
  foreign = await keysOf(server, 'globex');
});
afterAll(() => server.stop());

const good = { agent_id: 'ghost', output: 'x' };
const event = {
  evaluation_id: 'ghost-1',
  agent_id: 'ghost',
  passed: true,
  gates: [{ name: 'content', outcome: 'passed', latency_ms: 0 }],
  total_latency_ms: 0,
};
const happened = {
  identity_id: '5b0a4c1e-0f0e-5c39-9c5c-0b7c3a1f2d4e',
  category: 'economic',
  event_type: 'paid',
  score_delta: 1,
};

/** Each endpoint that takes a body, with one that is good. */
const BODIES: [path: string, method: string, body: object, field: string][] = [
  ['/v1/evaluate', 'POST', good, 'agent_id'],
  ['/v1/ingest', 'POST', { events: [event] }, 'events'],
  ['/v1/reputation-events', 'POST', { events: [happened] }, 'events'],
  ['/v1/agents', 'POST', { agent_id: 'ghost' }, 'agent_id'],
  ['/v1/agents/ghost', 'PATCH', { display_name: 'Ghost' }, 'display_name'],
  ['/v1/events/ghost-1/void', 'POST', { reason: 'x' }, 'reason'],
  ['/v1/keys', 'POST', { kind: 'pk' }, 'kind'],
  ['/v1/settings', 'PATCH', { require_signatures: false }, 'require_signatures'],
];

describe.each(BODIES)('%s %s', (path, method, body, field) => {
  const call = (sent: unknown, headers: Record<string, string> = {}) =>
    server.call(path, { method, key: server.sk, body: sent, headers });

  it('refuses what is not JSON', async () => {
    for (const text of ['{"agent_id": secret', '', '{"a":1}}']) {
      const answer = await call(text);
      expectError(answer, 'invalid_json');
      expect(answer.text).not.toContain('secret');
    }
  });

  it('refuses another type, encoding or charset', async () => {
    const bytes = JSON.stringify(body);
    expectError(await call(bytes, { 'content-type': 'text/plain' }), 'unsupported_media_type');
    expectError(
      await call(bytes, { 'content-type': 'application/json; charset=latin1' }),
      'unsupported_media_type',
    );
    expectError(await call(bytes, { 'content-encoding': 'br' }), 'unsupported_media_type');
    expectError(await call(Buffer.from([0x22, 0xff, 0x22])), 'invalid_json');
  });

  it('refuses what is too large, too deep or a bomb, before it parses it', async () => {
    const large = Buffer.alloc(LIMITS.requestBodyBytesMax + 1, 0x20);
    expectError(await call(large), 'payload_too_large');
    expectError(await call(large, { 'transfer-encoding': 'chunked' }), 'payload_too_large');
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    expectError(await call(bomb, { 'content-encoding': 'gzip' }), 'payload_too_large');
    expectError(await call('plain', { 'content-encoding': 'gzip' }), 'invalid_json');
    expectError(await call(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 'invalid_request');
  });

  it('refuses a wrong type, a missing field and an unknown one, and names it', async () => {
    expectError(await call([]), 'invalid_request');
    expectError(await call(null), 'invalid_request');
    const surplus = await call({ ...body, surplus: 1 });
    expectError(surplus, 'invalid_request');
    expect(surplus.json.details).toEqual([{ path: 'surplus', message: 'is no field of this request' }]);
    const wrong = await call({ ...body, [field]: { of: 'another type' } });
    expectError(wrong, 'invalid_request');
    expect(wrong.json.details[0].path).toBe(field);
    if (method === 'POST') expectError(await call({}), 'invalid_request');
  });

  it('refuses a request without a key, with an unknown one, and with one of the wrong form', async () => {
    for (const key of [null, 'pk_live_unknown', 'nonsense']) {
      expectError(await server.call(path, { method, key, body }), 'unauthorized');
    }
    expectError(
      await server.call(path, { method, key: null, headers: { authorization: 'Basic YTpi' }, body }),
      'unauthorized',
    );
  });
});

it('nothing of all that was stored', async () => {
  const rows: string[] = [];
  for await (const row of server.context.store.upkeep.export()) {
    // How far the server has watched the ledger is a note of its own.
    if (row.kind !== 'document' || row.row.kind !== 'watch') rows.push(row.kind);
  }
  expect(new Set(rows)).toEqual(new Set(['org', 'key', 'audit']));
  expect(rows.filter((kind) => kind === 'key')).toHaveLength(4);
});

describe('keys', () => {
  it.each([
    ['GET', '/v1/keys'],
    ['DELETE', '/v1/keys/any'],
    ['GET', '/v1/signing-secrets'],
    ['POST', '/v1/signing-secrets'],
    ['DELETE', '/v1/signing-secrets/any'],
    ['GET', '/v1/settings'],
    ['GET', '/v1/audit'],
    ['DELETE', '/v1/agents/any'],
  ])('a pk may not %s %s', async (method, path) => {
    expectError(await server.call(path, { method }), 'forbidden');
  });

  it.each(BODIES.slice(3))('a pk may not use %s %s', async (path, method, body) => {
    expectError(await server.call(path, { method, body }), 'forbidden');
  });

  it.each(['/local/orgs', '/local/export'])('not even an sk may use %s', async (path) => {
    expectError(await server.call(path, { key: server.sk }), 'forbidden');
    expectError(await server.call(path, { key: 'local_guessed' }), 'unauthorized');
  });

  it('a revoked key is refused from that moment on', async () => {
    const { json: made } = await server.call('/v1/keys', { key: server.sk, body: { kind: 'pk' } });
    expect((await server.call('/v1/agents', { key: made.key })).status).toBe(200);
    const revoked = await server.call(`/v1/keys/${made.key_id}`, { method: 'DELETE', key: server.sk });
    expect(revoked.json).toMatchObject({ key_id: made.key_id, revoked_at: expect.any(String) });
    expectError(await server.call('/v1/agents', { key: made.key }), 'unauthorized');
  });

  it("another org's key revokes nothing here", async () => {
    const { json } = await server.call('/v1/keys', { key: server.sk });
    const [{ key_id }] = json.items;
    expectError(await server.call(`/v1/keys/${key_id}`, { method: 'DELETE', key: foreign[1] }), 'not_found');
    expect((await server.call('/v1/agents')).status).toBe(200);
  });
});

describe('paths and queries', () => {
  it.each(['/nothing', '/v1', '/v1/agents/', '/v1/reputation/', '/v1/agents/a/b', '//v1/agents'])(
    'answers %s with an error of the table',
    async (path) => {
      const { status, json } = await server.call(path);
      expect([400, 404]).toContain(status);
      expect(Object.keys(ERRORS)).toContain(json.code);
    },
  );

  it('names the methods that a path takes', async () => {
    const answer = await server.call('/v1/evaluate', { method: 'DELETE' });
    expectError(answer, 'method_not_allowed');
    expect(answer.headers.allow).toBe('POST');
  });

  it.each([
    '/v1/events?limit=0',
    '/v1/events?limit=201',
    '/v1/events?limit=x',
    '/v1/events?verdict=maybe',
    '/v1/events?surplus=1',
    '/v1/events?limit=1&limit=2',
    '/v1/events?cursor=nonsense',
    '/v1/events?from=yesterday',
    '/v1/reputation/a/history?step=1s',
    '/v1/reputation/a/history?step=1m',
    '/v1/reputation/a/history?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    '/v1/reputation/%FF',
    '/v1/reputation/%00',
    `/v1/reputation/${'x'.repeat(201)}`,
    '/v1/identities/nonsense/reputation',
    '/v1/stream?after=nonsense',
  ])('refuses %s', async (path) => {
    expectError(await server.call(path), 'invalid_request');
  });
});

describe('what is hardly a request', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 'invalid_request'],
    ['headers without end', `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
    ['a client that never finishes', 'GET / HTTP/1.1\r\nhost: x\r\n', 'request_timeout'],
    [
      'a body that never comes',
      `POST /v1/evaluate HTTP/1.1\r\nhost: x\r\nauthorization: Bearer PK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
      'request_timeout',
    ],
  ] as const)('answers %s with the error body', async (_, text, code) => {
    const answer = await sendRaw(server.url, text.replace('PK', server.pk));
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${ERRORS[code].status} `);
    expect(JSON.parse(body)).toMatchObject({ code, status: ERRORS[code].status });
  });
});

function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

function expectError({ status, json }: { status: number; json: unknown }, code: ErrorCode): void {
  expect(json).toMatchObject({
    code,
    status: ERRORS[code].status,
    error: expect.any(String),
    request_id: expect.any(String),
  });
  expect(status).toBe(ERRORS[code].status);
}
