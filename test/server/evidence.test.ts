import { createPublicKey, verify } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyInclusion } from '../../src/core/merkle.ts';
import { verifyReceipt } from '../../src/sdk/verify-receipt.ts';
import { listRevocations } from '../../src/service/receipts.ts';
import { createVault } from '../../src/service/vault.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let now = Date.parse('2026-11-15T08:00:00Z');
beforeAll(async () => {
  server = await startServer({ clock: () => now });
});
afterAll(() => server.stop());

interface Told {
  passed?: boolean;
  version?: string;
  sample_rate?: number;
}

let made = 0;
async function ingest(agent_id: string, told: Told[]): Promise<string[]> {
  const events = told.map(({ passed = true, ...more }) => ({
    evaluation_id: `${agent_id}-${made++}`,
    agent_id,
    passed,
    gates: [{ name: 'content', outcome: passed ? 'passed' : 'failed', latency_ms: 0 }],
    total_latency_ms: 1,
    suite_hash: 'suite-1',
    ...more,
  }));
  const { status } = await server.call('/v1/ingest', { body: { events } });
  expect(status).toBe(202);
  return events.map(({ evaluation_id }) => evaluation_id);
}
const times = (count: number, told: Told = {}): Told[] => Array.from({ length: count }, () => told);
const admin = (path: string, body: unknown, method = 'POST') =>
  server.call(path, { key: server.sk, body, method });
const check = async (body: object) => (await server.call('/v1/check', { body })).json;

describe('a reputation', () => {
  it('comes with its band and with how its evaluations are known', async () => {
    await ingest('banded', [...times(50, { passed: false }), ...times(450)]);
    await server.call('/v1/evaluate', { body: { agent_id: 'banded', output: 'fine' } });
    const { json } = await server.call('/v1/reputation/banded');
    expect(json.evidence).toEqual({ server: 1, signed: 0, reported: 499 });
    expect(json.assurance.score_low).toBeLessThan(json.score);
    expect(json.assurance.score_high).toBeGreaterThan(json.score);
    expect(json.assurance.method).toBe('beta_binomial_sequence_v1.each_look');
    const { json: list } = await server.call('/v1/agents');
    const [item] = list.items.filter((one: { agent_id: string }) => one.agent_id === 'banded');
    expect(item.reputation).toMatchObject({ evidence: json.evidence, assurance: json.assurance });
  });

  it('has a wider band when only a share of evaluations was sent', async () => {
    await ingest('sampled', times(60, { sample_rate: 0.25 }));
    await ingest('whole', times(60));
    const low = async (agent: string) =>
      (await server.call(`/v1/reputation/${agent}`)).json.assurance.pass_rate_low;
    expect(await low('sampled')).toBeCloseTo((await low('whole')) / 4, 9);
  });

  it('is made from the kinds of evidence that the org says count, from then on', async () => {
    await ingest('kinds', times(2));
    const changed = await admin('/v1/settings', { counting_kinds: ['server', 'signed'] }, 'PATCH');
    expect(changed.json).toMatchObject({ counting_kinds: ['server', 'signed'], require_signatures: false });
    await ingest('kinds', times(3, { passed: false }));
    await server.call('/v1/evaluate', { body: { agent_id: 'kinds', output: 'fine' } });
    const { json } = await server.call('/v1/reputation/kinds');
    expect(json).toMatchObject({ eval_count: 3, passed: 3, evidence: { server: 1, signed: 0, reported: 2 } });
    const { json: stored } = await server.call('/v1/events?agent_id=kinds');
    expect(stored.items).toHaveLength(6);
    await admin('/v1/settings', { counting_kinds: ['server', 'signed', 'reported'] }, 'PATCH');
    expect((await admin('/v1/settings', { counting_kinds: [] }, 'PATCH')).json.code).toBe('invalid_request');
    expect((await admin('/v1/settings', { baseline_pass_rate: 1 }, 'PATCH')).json.code).toBe(
      'invalid_request',
    );
  });
});

describe('POST /v1/check', () => {
  it('passes, fails, or says that it cannot tell yet', async () => {
    await ingest('good', times(500));
    await ingest('bad', [...times(100), ...times(400, { passed: false })]);
    await ingest('young', times(55));
    expect(await check({ agent_id: 'good', min: 900 })).toMatchObject({
      verdict: 'pass',
      further_evaluations: null,
    });
    expect(await check({ agent_id: 'bad', min: 700 })).toMatchObject({ verdict: 'fail' });
    const open = await check({ agent_id: 'young', min: 850 });
    expect(open).toMatchObject({ verdict: 'not_enough_evidence', further_evaluations: expect.any(Number) });
    expect(open.reason).toContain('850');
    expect(await check({ agent_id: 'young', min: 850, point: true })).toMatchObject({ verdict: 'pass' });
    expect(await check({ agent_id: 'nobody', min: 0 })).toMatchObject({
      verdict: 'not_enough_evidence',
      score: 0,
    });
  });

  it('notices a fall', async () => {
    await ingest('falling', times(500));
    now += 8 * 86_400_000;
    expect(await check({ agent_id: 'falling', max_drop: 50 })).toMatchObject({ verdict: 'pass' });
    await ingest('falling', times(200, { passed: false }));
    expect(await check({ agent_id: 'falling', max_drop: 50 })).toMatchObject({ verdict: 'fail' });
    expect(await check({ agent_id: 'falling', min: 100, max_drop: 50 })).toMatchObject({ verdict: 'fail' });
    expect(await check({ agent_id: 'falling', max_drop: 50, since: now - 1 })).toMatchObject({
      verdict: 'fail',
    });
  });

  it('judges sessions, and never passes one of which nothing was seen', async () => {
    const session = { metric: 'agent_reliability', min: 0.7 };
    const traces = [{ trace_id: 't', signals: { confidence: 0.9 } }];
    expect(await check({ ...session, traces })).toMatchObject({
      verdict: 'pass',
      score: 0.9,
      assurance: null,
    });
    expect(await check({ ...session, min: 0.95, traces })).toMatchObject({ verdict: 'fail' });
    expect(await check({ ...session, traces: [] })).toMatchObject({
      verdict: 'not_enough_evidence',
      score: 1,
    });
  });

  it('judges a session of the ledger by its id, and says so of one it does not know', async () => {
    const traces = [{ session_id: 'known', trace_id: 't', signals: { confidence: 0.6 } }];
    expect((await server.call('/v1/signals', { body: { traces } })).status).toBeLessThan(300);
    const session = { metric: 'agent_reliability', session_id: 'known' };
    expect(await check({ ...session, min: 0.5 })).toMatchObject({ verdict: 'pass', score: 0.6 });
    expect(await check({ ...session, min: 0.7 })).toMatchObject({ verdict: 'fail' });
    expect(await check({ ...session, session_id: 'unknown', min: 0 })).toMatchObject({
      verdict: 'not_enough_evidence',
    });
  });

  it.each([
    [{ agent_id: 'good' }],
    [{ agent_id: 'good', min: 1001 }],
    [{ agent_id: 'good', min: 5, surplus: 1 }],
    [{ metric: 'performance', min: 1, traces: [] }],
    [{ metric: 'agent_reliability', min: 2, traces: [] }],
  ])('refuses %j', async (body) => {
    expect(await check(body)).toMatchObject({ code: 'invalid_request' });
  });
});

describe('an explanation', () => {
  it('adds up to the difference exactly, and names every evaluation that came or went', async () => {
    await ingest('moved', times(498));
    now += 1_000;
    const since = now;
    now += 1_000;
    const arrived = await ingest('moved', [...times(2), ...times(1, { passed: false }), ...times(2)]);
    const { json } = await server.call(`/v1/reputation/moved/explain?since=${since}`);
    const points = json.contributions.map((one: { points: number }) => one.points);
    expect(points.reduce((sum: number, one: number) => sum + one, 0) + json.rounding).toBe(json.difference);
    expect(json.difference).toBe(json.after - json.before);
    expect(json.after).toBe((await server.call('/v1/reputation/moved')).json.score);
    const changes = json.contributions.map((one: { change: string; evaluation_id: string }) => [
      one.change,
      one.evaluation_id,
    ]);
    expect(changes.filter(([change]: string[]) => change === 'pushed').map(([, id]: string[]) => id)).toEqual(
      arrived,
    );
    expect(changes.filter(([change]: string[]) => change === 'evicted')).toHaveLength(3);
    expect(json.components.streak).toBeLessThan(-150);
    const { json: earlier } = await server.call(`/v1/reputation/moved/explain?since=0&until=${since}`);
    expect(earlier).toMatchObject({ before: 0, after: json.before });
    expect(earlier.contributions).toHaveLength(498);
  });

  it('refuses moments in the wrong order, and too long a stretch', async () => {
    expect((await server.call('/v1/reputation/moved/explain?since=20&until=10')).json.code).toBe(
      'invalid_request',
    );
    for (let i = 0; i < 3; i++) await ingest('busy', times(700));
    expect((await server.call('/v1/reputation/busy/explain')).json.error).toContain('2000');
  });
});

describe('a comparison', () => {
  it('sets two versions side by side with an interval for the difference', async () => {
    await ingest('versioned', times(40, { version: '1.0' }));
    now += 1_000;
    await ingest('versioned', [
      ...times(30, { version: '2.0' }),
      ...times(30, { version: '2.0', passed: false }),
    ]);
    const { json } = await server.call('/v1/reputation/versioned/compare?by=version');
    expect(json).toMatchObject({
      before: { value: '1.0', evaluations: 40, passed: 40 },
      after: { value: '2.0', evaluations: 60, passed: 30 },
      difference: { pass_rate: -0.5 },
      values: ['1.0', '2.0'],
    });
    expect(json.difference.high).toBeLessThan(-0.3);
    expect(json.difference.low).toBeGreaterThan(-0.7);
    const { json: suites } = await server.call('/v1/reputation/versioned/compare?by=suite');
    expect(suites).toMatchObject({ before: null, after: { value: 'suite-1' }, difference: null });
    const missing = await server.call('/v1/reputation/versioned/compare?by=version&before=9');
    expect(missing.json.code).toBe('not_found');
  });
});

describe('a receipt', () => {
  const issue = async (agent_id: string, more = {}) =>
    (await admin('/v1/receipts', { agent_id, ...more })).json;
  const keys = async () => (await server.call('/.well-known/jwks.json', { key: null })).json;

  it('verifies with an independent JOSE library, with Node and with the SDK', async () => {
    await ingest('proven', [...times(2, { passed: false }), ...times(60)]);
    const { receipt, receipt_id } = await issue('proven');
    const options = {
      issuer: 'acme',
      subject: 'proven',
      typ: 'renown-receipt+jwt',
      currentDate: new Date(now),
    };
    const { payload } = await jwtVerify(receipt, createLocalJWKSet(await keys()), options);
    const { json: reputation } = await server.call('/v1/reputation/proven');
    const { method, ...assurance } = reputation.assurance;
    expect(payload).toMatchObject({
      jti: receipt_id,
      iat: Math.floor(now / 1000),
      exp: Math.floor(now / 1000) + 30 * 86_400,
      renown: {
        score: reputation.score,
        lifecycle: 'active',
        assurance,
        method,
        evidence: { server: 0, signed: 0, reported: 62 },
        suite_hashes: ['suite-1'],
        window: { eval_count: 62, window_size: 500 },
      },
    });
    const [head = '', body = '', signature = ''] = receipt.split('.');
    const [jwk] = (await keys()).keys;
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    expect(verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(decodeProtectedHeader(receipt).kid).toBe(jwk.kid);
    expect(await verifyReceipt(receipt, await keys(), { now })).toMatchObject({
      valid: true,
      claims: payload,
    });
  });

  it('fails when one bit of it changes, wherever that is', async () => {
    const { receipt } = await issue('proven');
    const set = await keys();
    const parts = (receipt as string).split('.');
    for (const [at, part] of parts.entries()) {
      const bytes = Buffer.from(part, 'base64url');
      for (const bit of [0, 77, bytes.length * 8 - 1]) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
        const forged = parts.map((one, i) => (i === at ? flipped.toString('base64url') : one)).join('.');
        await expect(
          jwtVerify(forged, createLocalJWKSet(set), { currentDate: new Date(now) }),
        ).rejects.toThrow();
        expect(await verifyReceipt(forged, set, { now })).toMatchObject({ valid: false });
      }
    }
  });

  it('must be of the issuer and about the agent that was asked for', async () => {
    const { receipt } = await issue('proven');
    const set = await keys();
    const verified = (options: object) => verifyReceipt(receipt, set, { now, ...options });
    expect(await verified({ issuer: 'acme', subject: 'proven' })).toMatchObject({ valid: true });
    expect(await verified({ issuer: 'evil' })).toEqual({
      valid: false,
      reason: 'It was issued by acme, and not by evil.',
    });
    expect(await verified({ subject: 'other' })).toEqual({
      valid: false,
      reason: 'It is about proven, and not about other.',
    });
  });

  it('is answered for and never thrown at, whatever it and the keys are', async () => {
    const { receipt } = await issue('proven');
    const { keys: all } = await keys();
    for (const odd of [null, undefined, 7, {}, '', 'a.b.c', 'bnVsbA.bnVsbA.'])
      expect(await verifyReceipt(odd as string, { keys: all }, { now })).toMatchObject({ valid: false });
    for (const odd of [
      null,
      undefined,
      {},
      { keys: null },
      { keys: [null] },
      { keys: [{ ...all[0], x: 7 }] },
    ])
      expect(await verifyReceipt(receipt, odd as { keys: [] }, { now })).toMatchObject({ valid: false });
    const beside = [null, 7, ...all] as typeof all;
    expect(await verifyReceipt(receipt, { keys: beside }, { now })).toMatchObject({ valid: true });
  });

  it('expires, and says so', async () => {
    const { receipt } = await issue('proven', { expires_in_s: 60 });
    const set = await keys();
    expect(await verifyReceipt(receipt, set, { now: now + 59_000 })).toMatchObject({ valid: true });
    expect(await verifyReceipt(receipt, set, { now: now + 61_000 })).toMatchObject({
      valid: false,
      reason: 'It has expired.',
    });
    expect((await issue('proven', { expires_in_s: 1 })).code).toBe('invalid_request');
  });

  it('is no number below 50 evaluations', async () => {
    await ingest('unripe', times(49));
    const verified = await verifyReceipt((await issue('unripe')).receipt, await keys(), { now });
    expect(verified).toMatchObject({
      claims: { renown: { lifecycle: 'calibrating', score: null, assurance: null } },
    });
  });

  it('proves an evaluation of its window, also after later ones and after a void, and no other', async () => {
    const ids = await ingest('tree', times(77));
    const { receipt, receipt_id } = await issue('tree');
    const set = await keys();
    now += 5_000;
    const [late] = await ingest('tree', times(1));
    await admin(`/v1/events/${ids[5]}/void`, { reason: 'A mistake.' });
    const verified = await verifyReceipt(receipt, set, { now });
    const root = verified.valid ? verified.claims.renown.merkle_root : '';
    for (const id of [ids[0], ids[5], ids[76]]) {
      const { json } = await server.call(`/v1/receipts/${receipt_id}/proofs/${id}`);
      expect(json.merkle_root).toBe(root);
      expect(JSON.parse(json.leaf)[0]).toBe(id);
      expect(verifyInclusion(json.leaf, json.proof, root)).toBe(true);
      expect(verifyInclusion(json.leaf.replace('true', 'false'), json.proof, root)).toBe(false);
    }
    const { json: missing } = await server.call(`/v1/receipts/${receipt_id}/proofs/${late}`);
    expect(missing.code).toBe('not_found');
    expect((await server.call(`/v1/receipts/unknown/proofs/${ids[0]}`)).json.code).toBe('not_found');
  });

  it('can be taken back, for everyone to see', async () => {
    const { receipt, receipt_id } = await issue('proven');
    const reason = 'Issued by mistake.';
    const { json } = await admin(`/v1/receipts/${receipt_id}/revoke`, { reason });
    expect(json).toMatchObject({ receipt_id, reason });
    const { json: list } = await server.call('/public/acme/revocations', { key: null });
    expect(list.items).toEqual([json]);
    const revoked = list.items.map((one: { receipt_id: string }) => one.receipt_id);
    expect(await verifyReceipt(receipt, await keys(), { now, revoked })).toMatchObject({
      valid: false,
      reason: 'It was taken back by whoever issued it.',
    });
    expect((await admin('/v1/receipts/unknown/revoke', { reason })).json.code).toBe('not_found');
  });

  it('is signed with the newest key, and those of former keys stay good until they expire', async () => {
    const rotate = () => admin('/v1/receipt-keys', undefined);
    expect((await server.call('/v1/receipt-keys', { method: 'POST' })).status).toBe(403);
    const { receipt: before } = await issue('proven', { expires_in_s: 366 * 86_400 });
    const { status, json: key } = await rotate();
    expect([status, Object.keys(key)]).toEqual([201, ['kty', 'crv', 'x', 'kid', 'use', 'alg']]);
    const { receipt: after } = await issue('proven');
    expect(decodeProtectedHeader(after).kid).toBe(key.kid);
    expect(decodeProtectedHeader(before).kid).not.toBe(key.kid);
    const set = await keys();
    expect(set.keys[0]).toEqual(key);
    expect(set.keys).toHaveLength(2);
    for (const receipt of [before, after])
      expect(await verifyReceipt(receipt, set, { now })).toMatchObject({ valid: true });
    const { json: audit } = await admin('/v1/audit?limit=5', undefined, 'GET');
    expect(audit.items).toContainEqual(
      expect.objectContaining({ action: 'receipt_key.create', target: key.kid }),
    );
    const then = now;
    now += 366 * 86_400_000 + 1;
    expect((await keys()).keys).toEqual([key]);
    now = then;
  });

  it('has a way out when the key that signs it cannot be opened', async () => {
    const { documents } = server.context.store;
    const { receipt: before } = await issue('proven');
    const stored = await documents.get('acme', 'receipt_key', 'current');
    const body = { ...(stored?.body as object), sealed: createVault('another').seal('key') };
    await documents.put('acme', { kind: 'receipt_key', id: 'current', body, at: now });
    const refused = await issue('proven');
    expect(refused).toMatchObject({ code: 'corrupt_data' });
    expect(refused.error).toContain('renown receipt rotate-key');
    expect((await admin('/v1/receipt-keys', undefined)).status).toBe(201);
    const { receipt: after } = await issue('proven');
    for (const receipt of [before, after])
      expect(await verifyReceipt(receipt, await keys(), { now })).toMatchObject({ valid: true });
  });

  it('has a bounded number of former keys', async () => {
    const rotate = () => admin('/v1/receipt-keys', undefined);
    let answer = await rotate();
    for (let i = 0; i < 50 && answer.status === 201; i++) answer = await rotate();
    expect(answer.json.code).toBe('conflict');
    expect((await keys()).keys).toHaveLength(51);
    const then = now;
    now += 367 * 86_400_000;
    expect((await rotate()).status).toBe(201);
    expect((await keys()).keys).toHaveLength(2);
    now = then;
  });

  it('is taken back when its agent is deleted, unless it has expired', async () => {
    await ingest('leaving', times(60));
    const short = await issue('leaving', { expires_in_s: 60 });
    const long = await issue('leaving');
    const earlier = await issue('leaving');
    const reason = 'Issued by mistake.';
    await admin(`/v1/receipts/${earlier.receipt_id}/revoke`, { reason });
    now += 61_000;
    expect((await admin('/v1/agents/leaving', undefined, 'DELETE')).status).toBe(200);
    const { json: list } = await server.call('/public/acme/revocations', { key: null });
    const reasons = Object.fromEntries(
      list.items.map((one: { receipt_id: string; reason: string }) => [one.receipt_id, one.reason]),
    );
    expect(reasons).toMatchObject({
      [long.receipt_id]: 'Its agent was deleted.',
      [earlier.receipt_id]: reason,
    });
    expect(reasons[short.receipt_id]).toBeUndefined();
    const { json: audit } = await admin('/v1/audit?limit=5', undefined, 'GET');
    expect(audit.items).toContainEqual(
      expect.objectContaining({ action: 'receipt.revoke', target: long.receipt_id }),
    );
  });

  it('is on the list of those taken back however many there are', async () => {
    const store = createMemoryStore({ clock: () => now });
    const ids = Array.from({ length: 10_001 }, (_, i) => String(i).padStart(5, '0'));
    for (const id of ids)
      await store.documents.put('acme', { kind: 'receipt_revocation', id, body: { reason: 'x' }, at: now });
    const { items } = await listRevocations({ ...server.context, store }, 'acme');
    expect(items.map(({ receipt_id }) => receipt_id)).toEqual(ids);
  });
});
