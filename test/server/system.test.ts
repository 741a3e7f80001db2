import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readServerFile } from '../../src/server/server-file.ts';
import { send, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('the server itself', () => {
  it('says that it is alive and that it can serve', async () => {
    expect((await server.call('/health', { key: null })).json).toEqual({ status: 'ok', version: '0.0.0' });
    expect((await server.call('/ready', { key: null })).json).toEqual({ status: 'ready' });
    const head = await server.call('/health', { method: 'HEAD', key: null });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('counts requests for Prometheus, by route and without names', async () => {
    await server.call('/v1/reputation/a-name-nobody-should-see');
    const { headers, text } = await server.call('/metrics', { key: null });
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(
      /^renown_request_duration_seconds_count\{route="GET \/v1\/reputation\/:agentId",status="200"\} 1$/m,
    );
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).not.toContain('nobody-should-see');
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^{}]+\})? [\d.e+-]+)$/);
    }
  });

  it('gives each request an id, or takes that of the caller when it is fit for a log', async () => {
    expect((await server.call('/health')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const own = await server.call('/health', { headers: { 'x-request-id': 'trace-7' } });
    expect(own.headers['x-request-id']).toBe('trace-7');
    const forged = await server.call('/nothing', { headers: { 'x-request-id': 'a b{}"' } });
    expect(forged.json.request_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(server.log.some((line) => JSON.parse(line).id === 'trace-7')).toBe(true);
  });

  it('sends headers that keep browsers from doing harm, and no CORS', async () => {
    const { headers } = await server.call('/v1/agents', { headers: { origin: 'https://evil.example' } });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    const preflight = await server.call('/v1/agents', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    });
    expect(preflight.headers['access-control-allow-methods']).toBeUndefined();
  });

  it.each([
    ['/', /^default-src 'none'; script-src 'self'; style-src 'self'; (?!.*unsafe)/],
    ['/docs', /^default-src 'none'; style-src 'sha256-/],
  ])('has a page at %s that loads nothing from outside', async (path, policy) => {
    const { headers, text } = await server.call(path, { key: null });
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(policy);
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(text).not.toContain('@import');
  });

  it('serves the files of the dashboard for ever, and packed where that is understood', async () => {
    const { text } = await server.call('/', { key: null });
    const [script = ''] = /assets\/main-[A-Z0-9]{8}\.js/.exec(text) ?? [];
    const plain = await server.call(`/${script}`, { key: null });
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const packed = await server.call(`/${script}`, { key: null, headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(Number(packed.headers['content-length'])).toBeLessThan(
      Number(plain.headers['content-length']) / 2,
    );
    expect((await server.call('/assets/..%2F..%2Fpackage.json', { key: null })).status).toBe(404);
  });

  it('shows every operation in its docs', async () => {
    const { json } = await server.call('/openapi.json', { key: null });
    const { text } = await server.call('/docs', { key: null });
    for (const path of Object.keys(json.paths)) expect(text).toContain(`<code>${path}</code>`);
  });

  it('leaves a file beside the store that only its owner may read, and takes it away', async () => {
    const other = await startServer();
    const path = `${other.data}.server.json`;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const file = await readServerFile(path, () => true);
    expect(file).toMatchObject({ url: other.url, pid: process.pid });
    const orgs = await send(other.url, '/local/orgs', { key: file?.token ?? '' });
    expect(orgs.json.items).toMatchObject([{ org_id: 'acme' }]);
    await other.stop();
    expect(await readServerFile(path, () => true)).toBeNull();
  });
});

describe('configured otherwise', () => {
  let other: TestServer;
  beforeAll(async () => {
    other = await startServer({
      settings: {
        base_path: '/renown',
        cors_origins: ['https://app.example'],
        trusted_proxies: ['127.0.0.1'],
        rate_limit_burst: 5,
        rate_limit_per_s: 1,
      },
    });
  });
  afterAll(() => other.stop());

  it('answers under its base path alone', async () => {
    expect(
      (await other.call('/renown/health', { headers: { 'x-forwarded-for': '203.0.113.1' } })).status,
    ).toBe(200);
    expect((await other.call('/health', { headers: { 'x-forwarded-for': '203.0.113.1' } })).status).toBe(404);
    expect(
      (await other.call('/renownhealth', { headers: { 'x-forwarded-for': '203.0.113.1' } })).status,
    ).toBe(404);
  });

  it('lets pages of the configured origins in', async () => {
    const headers = { origin: 'https://app.example', 'x-forwarded-for': '203.0.113.2' };
    const preflight = await other.call('/renown/v1/agents', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('https://app.example');
    const { headers: answered } = await other.call('/renown/health', { headers });
    expect(answered['access-control-allow-origin']).toBe('https://app.example');
    const stranger = await other.call('/renown/health', {
      headers: { ...headers, origin: 'https://evil.example' },
    });
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('gives each key, and each address without one, its own allowance', async () => {
    const ask = (key: string | null, from: string) =>
      other.call(key === null ? '/renown/health' : '/renown/v1/agents', {
        key,
        headers: { 'x-forwarded-for': from },
      });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(other.pk, '203.0.113.9')).status);
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    const refused = await ask(other.pk, '203.0.113.9');
    expect(refused.json.code).toBe('rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '0' });
    expect((await ask(other.sk, '203.0.113.9')).status).toBe(200);
    for (let i = 0; i < 6; i++) await ask(null, '203.0.113.10');
    expect((await ask(null, '203.0.113.10')).status).toBe(429);
    expect((await ask(null, '203.0.113.11')).status).toBe(200);
    // What a client writes in front of the list our proxy adds to is not believed.
    expect((await ask(null, '198.51.100.1, 203.0.113.10')).status).toBe(429);
  });

  it('tires of keys that are made up, and of nobody else for it', async () => {
    const guess = async (i: number, from: string) => {
      const headers = { 'x-forwarded-for': from };
      return (await other.call('/renown/v1/agents', { key: `sk_live_guess${i}`, headers })).status;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push(await guess(i, '203.0.113.30'));
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses).toContain(429);
    expect(await guess(8, '203.0.113.31')).toBe(401);
  });

  it('hides its figures from strangers', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.20' };
    expect((await other.call('/renown/metrics', { key: null, headers })).status).toBe(401);
    expect((await other.call('/renown/metrics', { key: other.pk, headers })).status).toBe(403);
    expect((await other.call('/renown/metrics', { key: other.sk, headers })).status).toBe(200);
  });
});
