import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { type Answered, type Call, keysOf, send, startServer, type TestServer } from '../support/server.ts';

const OURS = { 'x-renown-dashboard': '1' };
const DAY_MS = 86_400_000;

let server: TestServer;
let now = Date.parse('2026-11-15T12:00:00Z');
beforeAll(async () => {
  server = await startServer({ clock: () => now });
});
afterAll(() => server.stop());

function signIn(body: object, headers: Record<string, string> = OURS): Promise<Answered> {
  return server.call('/dashboard/sign-in', { key: null, body, headers });
}

/** The cookie that an answer sets, as a browser would send it. */
function cookieOf({ headers }: Answered): string {
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
}

async function sessionOf(key: string): Promise<string> {
  return cookieOf(await signIn({ key }));
}

function callWith(cookie: string, path: string, call: Call = {}): Promise<Answered> {
  return server.call(path, { key: null, ...call, headers: { cookie, ...call.headers } });
}

describe('signing in', () => {
  it('exchanges a key for a cookie that scripts cannot read and other sites do not send', async () => {
    const answer = await signIn({ key: server.sk });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ signed_in: true, org_id: 'acme', kind: 'sk' });
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^renown_session=acme\.[0-9a-f]{64}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.text).not.toContain(server.sk);
  });

  it('keeps of the token a hash alone', async () => {
    const token = (await sessionOf(server.sk)).split('=')[1] ?? '';
    const { items } = await server.context.store.documents.list('acme', 'web_session', { limit: 100 });
    expect(items.length).toBeGreaterThan(0);
    expect(JSON.stringify(items)).not.toContain(token.split('.')[1]);
    expect(JSON.stringify(items)).not.toContain(server.sk);
  });

  it('refuses a key that is none, and says of nobody that nobody is signed in', async () => {
    expect((await signIn({ key: 'sk_live_wrong' })).status).toBe(401);
    expect((await server.call('/dashboard/me', { key: null })).json).toEqual({
      signed_in: false,
      version: '0.0.0',
    });
    const forged = `renown_session=acme.${'0'.repeat(64)}`;
    expect((await callWith(forged, '/dashboard/me')).json.signed_in).toBe(false);
    expect((await callWith(forged, '/v1/agents')).status).toBe(401);
    expect((await callWith('renown_session=../../x', '/v1/agents')).status).toBe(401);
  });

  it('opens the API as the key would, and no more', async () => {
    const looker = await sessionOf(server.pk);
    expect((await callWith(looker, '/v1/agents')).status).toBe(200);
    expect((await callWith(looker, '/v1/keys')).status).toBe(403);
    const admin = await sessionOf(server.sk);
    expect((await callWith(admin, '/v1/keys')).status).toBe(200);
    expect((await callWith(admin, '/local/orgs')).status).toBe(403);
  });

  it('keeps orgs apart', async () => {
    await server.call('/v1/evaluate', { body: { agent_id: 'ours', output: 'hello' } });
    const [, sk] = await keysOf(server, 'rival');
    const rival = await sessionOf(sk);
    expect((await callWith(rival, '/v1/agents/ours')).status).toBe(404);
    expect((await callWith(rival, '/v1/overview')).json.agents).toEqual([]);
    // Another org in front of a good secret is another token.
    expect((await callWith(rival.replace('rival.', 'acme.'), '/v1/agents')).status).toBe(401);
  });
});

describe('a session', () => {
  const change = { method: 'PATCH', body: { score_floor: 300 } };

  it('changes things only when our own page asks', async () => {
    const cookie = await sessionOf(server.sk);
    const refused = async (headers: Record<string, string>) =>
      (await callWith(cookie, '/v1/settings', { ...change, headers })).status;
    const { host } = new URL(server.url);
    expect(await refused({})).toBe(403);
    expect(await refused({ ...OURS, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await refused({ ...OURS, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await refused({ ...OURS, origin: 'http://127.0.0.1:1' })).toBe(403);
    expect(await refused({ ...OURS, origin: 'null' })).toBe(403);
    expect(await refused({ ...OURS, origin: `http://${host}` })).toBe(200);
    expect(await refused({ ...OURS, 'sec-fetch-site': 'same-origin' })).toBe(200);
    // A key in the header is no cookie: nobody sends it along unknowingly.
    expect((await server.call('/v1/settings', { ...change, key: server.sk })).status).toBe(200);
  });

  it('is neither opened nor ended by another page', async () => {
    expect((await signIn({ key: server.sk }, {})).status).toBe(403);
    const cookie = await sessionOf(server.sk);
    expect((await callWith(cookie, '/dashboard/sign-out', { method: 'POST' })).status).toBe(403);
    expect((await callWith(cookie, '/v1/agents')).status).toBe(200);
  });

  it('ends with the sign-out', async () => {
    const cookie = await sessionOf(server.sk);
    const out = await callWith(cookie, '/dashboard/sign-out', { method: 'POST', headers: OURS });
    expect(out.headers['set-cookie']?.[0]).toMatch(/^renown_session=; Path=\/; Max-Age=0;/);
    expect((await callWith(cookie, '/v1/agents')).status).toBe(401);
  });

  it('ends with the revocation of its key, at once', async () => {
    const { json: made } = await server.call('/v1/keys', { key: server.sk, body: { kind: 'pk' } });
    const cookie = await sessionOf(made.key);
    expect((await callWith(cookie, '/v1/agents')).status).toBe(200);
    await server.call(`/v1/keys/${made.key_id}`, { key: server.sk, method: 'DELETE' });
    expect((await callWith(cookie, '/v1/agents')).status).toBe(401);
  });

  it('ends by itself after a week', async () => {
    const cookie = await sessionOf(server.sk);
    now += 7 * DAY_MS - 1;
    expect((await callWith(cookie, '/v1/agents')).status).toBe(200);
    now += 1;
    expect((await callWith(cookie, '/v1/agents')).status).toBe(401);
  });
});

describe('the link printed at the start', () => {
  it('signs its holder in once', async () => {
    const link = server.webSessions.newLink('acme');
    const answer = await signIn({ link });
    expect(answer.json).toMatchObject({ signed_in: true, org_id: 'acme', kind: 'sk', key_id: null });
    expect((await callWith(cookieOf(answer), '/v1/keys')).status).toBe(200);
    expect((await signIn({ link })).status).toBe(401);
    const { json } = await server.call('/v1/audit?limit=1', { key: server.sk });
    expect(json.items).toMatchObject([{ actor: 'owner', action: 'dashboard.sign_in' }]);
  });

  it('is good for an hour', async () => {
    const link = server.webSessions.newLink('acme');
    now += LIMITS.signInLinkMs;
    expect((await signIn({ link })).status).toBe(401);
  });
});

describe('behind a proxy with TLS', () => {
  it('asks for a secure cookie under its own path, and takes no link from elsewhere', async () => {
    const settings = { base_path: '/renown', trusted_proxies: ['127.0.0.1'] };
    const other = await startServer({ settings });
    const headers = { ...OURS, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.1' };
    const call = { key: null, headers };
    const answer = await send(other.url, '/renown/dashboard/sign-in', { ...call, body: { key: other.sk } });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; Path=\/renown; .*SameSite=Strict; Secure$/);
    const link = other.webSessions.newLink('acme');
    expect((await send(other.url, '/renown/dashboard/sign-in', { ...call, body: { link } })).status).toBe(
      403,
    );
    const page = await send(other.url, '/renown/', {});
    expect(page.text).toContain('<base href="/renown/">');
    await other.stop();
  });
});
