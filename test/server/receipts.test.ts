import { createPublicKey, verify } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyInclusion } from '../../src/core/merkle.ts';
import { verifyReceipt } from '../../src/sdk/verify-receipt.ts';
import { listRevocations } from '../../src/service/receipts.ts';
import { createVault } from '../../src/service/vault.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { report, type Told, times } from '../support/reported.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let now = Date.parse('2026-11-15T08:00:00Z');
beforeAll(async () => {
  server = await startServer({ clock: () => now });
});
afterAll(() => server.stop());

const ingest = (agentId: string, told: readonly Told[]) => report(server, agentId, told);
const admin = (path: string, body: unknown, method = 'POST') =>
  server.call(path, { key: server.sk, body, method });

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
