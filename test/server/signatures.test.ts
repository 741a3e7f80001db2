import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysOf, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let now = Date.UTC(2026, 10, 15);
beforeAll(async () => {
  server = await startServer({ clock: () => now });
});
afterAll(() => server.stop());

const batch = (id: string) =>
  JSON.stringify({
    events: [
      {
        evaluation_id: id,
        agent_id: 'signer',
        passed: true,
        gates: [{ name: 'content', outcome: 'passed', latency_ms: 0 }],
        total_latency_ms: 0,
      },
    ],
  });

/** Written from the documentation alone, not with our own code. */
function signature(secret: string, body: string | Buffer, at = now): string {
  const t = Math.floor(at / 1000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')}`;
}

const post = (body: string | Buffer, header: string, headers = {}) =>
  server.call('/v1/ingest', { body, headers: { 'x-renown-signature': header, ...headers } });

async function newSecret(): Promise<{ secret: string; secret_id: string }> {
  return (await server.call('/v1/signing-secrets', { method: 'POST', key: server.sk })).json;
}

describe('signed batches', () => {
  it('are stored as signed, others as reported', async () => {
    const { secret } = await newSecret();
    expect((await post(batch('s1'), signature(secret, batch('s1')))).status).toBe(202);
    expect((await server.call('/v1/events/s1')).json.known_as).toBe('signed');
    await server.call('/v1/ingest', { body: batch('r1') });
    expect((await server.call('/v1/events/r1')).json.known_as).toBe('reported');
    const zipped = gzipSync(batch('s2'));
    const answer = await post(zipped, signature(secret, zipped), { 'content-encoding': 'gzip' });
    expect(answer.status).toBe(202);
  });

  it('are taken once: the identical signature again gets 409 and stores nothing', async () => {
    const { secret } = await newSecret();
    const header = signature(secret, batch('once'));
    const answers = await Promise.all([1, 2, 3].map(() => post(batch('once'), header)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    now += 60_000;
    const replayed = await post(batch('once'), header);
    expect(replayed.json).toMatchObject({ code: 'signature_replayed', status: 409 });
    // Spelt otherwise it is the same signature.
    const respelt = await post(batch('once'), header.replace('t=', 't=0'));
    expect(respelt.json).toMatchObject({ code: 'signature_replayed', status: 409 });
  });

  it('that were refused for what they say may be mended and sent again', async () => {
    const { secret } = await newSecret();
    const bad = batch('mended').replace('"total_latency_ms":0', '"total_latency_ms":-1');
    const header = signature(secret, bad);
    expect((await post(bad, header)).json.code).toBe('invalid_request');
    expect((await post(bad, header)).json.code).toBe('invalid_request');
  });

  it('are refused when the body, the time, the secret or the form is wrong', async () => {
    const { secret } = await newSecret();
    const body = batch('forged');
    const old = signature(secret, body, now - 301_000);
    const early = signature(secret, body, now + 301_000);
    const [, foreignSk] = await keysOf(server, 'globex');
    const foreign = (await server.call('/v1/signing-secrets', { method: 'POST', key: foreignSk })).json
      .secret;
    for (const header of [
      signature(secret, `${body} `),
      signature('ss_live_guess', body),
      signature(foreign, body),
      old,
      early,
      `t=${Math.floor(now / 1000)},v1=${'0'.repeat(64)}`,
      'v1=abc',
      '',
    ]) {
      expect((await post(body, header)).json, header).toMatchObject({
        code: 'invalid_signature',
        status: 401,
      });
    }
    expect((await server.call('/v1/events/forged')).status).toBe(404);
    expect((await post(body, signature(secret, body, now - 299_000))).status).toBe(202);
  });

  it('have two secrets at a time, so that one can be exchanged without a gap', async () => {
    const [first, second] = [await newSecret(), await newSecret()];
    expect((await post(batch('old'), signature(first.secret, batch('old')))).status).toBe(202);
    expect((await post(batch('new'), signature(second.secret, batch('new')))).status).toBe(202);
    now += 1_000;
    await newSecret();
    expect((await post(batch('gone'), signature(first.secret, batch('gone')))).status).toBe(401);
    expect((await post(batch('kept'), signature(second.secret, batch('kept')))).status).toBe(202);
    const { json } = await server.call('/v1/signing-secrets', { key: server.sk });
    expect(json.items).toHaveLength(2);
    expect(JSON.stringify(json)).not.toContain('ss_live_');
    const path = `/v1/signing-secrets/${second.secret_id}`;
    expect((await server.call(path, { method: 'DELETE', key: server.sk })).status).toBe(200);
    expect((await server.call(path, { method: 'DELETE', key: server.sk })).status).toBe(404);
    expect((await post(batch('out'), signature(second.secret, batch('out')))).status).toBe(401);
  });

  it('can be made mandatory, for evaluations and for reputation events', async () => {
    const change = (require_signatures: boolean) =>
      server.call('/v1/settings', { method: 'PATCH', key: server.sk, body: { require_signatures } });
    expect((await change(true)).json).toMatchObject({ require_signatures: true });
    expect((await server.call('/v1/ingest', { body: batch('bare') })).json.code).toBe('invalid_signature');
    const events = [
      {
        identity_id: '5b0a4c1e-0f0e-5c39-9c5c-0b7c3a1f2d4e',
        category: 'economic',
        event_type: 'x',
        score_delta: 1,
      },
    ];
    expect((await server.call('/v1/reputation-events', { body: { events } })).json.code).toBe(
      'invalid_signature',
    );
    const { secret } = await newSecret();
    expect((await post(batch('sealed'), signature(secret, batch('sealed')))).status).toBe(202);
    expect((await server.call('/v1/evaluate', { body: { agent_id: 'x', output: 'y' } })).status).toBe(200);
    expect((await change(false)).json).toMatchObject({ require_signatures: false });
    expect((await server.call('/v1/ingest', { body: batch('bare') })).status).toBe(202);
  });

  it('leave no secret in the ledger that can be read without the key beside it', async () => {
    const { secret } = await newSecret();
    const rows: string[] = [];
    for await (const row of server.context.store.upkeep.export()) rows.push(JSON.stringify(row));
    expect(rows.join('\n')).toContain('signing_secret');
    expect(rows.join('\n')).not.toContain(secret);
    expect(readFileSync(`${server.data}.key`, 'utf8').trim()).toMatch(/^[0-9a-f]{64}$/);
  });
});
