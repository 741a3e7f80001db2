import { createHmac } from 'node:crypto';
import type { lookup } from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAlertStation } from '../../src/service/alerts/alert-station.ts';
import { raiseAlert } from '../../src/service/alerts/alerts.ts';
import { postWebhook } from '../../src/service/alerts/post-webhook.ts';
import { isPrivateAddress } from '../../src/service/alerts/private-address.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const receiver = new WebhookReceiver();
let server: TestServer;
let now = Date.parse('2026-11-15T08:00:00Z');

beforeAll(async () => {
  server = await startServer({ clock: () => now, settings: { webhook_networks: ['127.0.0.0/8'] } });
  await receiver.start();
});
afterAll(async () => {
  await server.stop();
  receiver.stop();
});
beforeEach(() => receiver.reset());

const LOG = { info() {}, warn() {}, error() {} };
const isLocal = (address: string) => address.startsWith('127.');
/** Another node over the same ledger, whose rounds the test calls. */
const station = () => createAlertStation(server.context, { isAllowed: isLocal, log: LOG });
const admin = (path: string, method: string, body?: unknown) =>
  server.call(path, { method, key: server.sk, ...(body !== undefined && { body }) });

describe('a webhook', () => {
  it('gets a test alert, signed with its secret', async () => {
    const { status, json } = await admin('/v1/webhooks', 'POST', { url: receiver.url });
    expect(status).toBe(201);
    const { json: tested } = await admin('/v1/alerts/test', 'POST');
    expect(tested.deliveries).toEqual([
      { webhook_id: json.webhook_id, delivered: true, detail: 'It answered 204.' },
    ]);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const [, time, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['x-renown-signature'])) ?? [];
    expect(createHmac('sha256', json.secret).update(`${time}.${body}`).digest('hex')).toBe(signature);
    expect(JSON.parse(body)).toMatchObject({ org_id: 'acme', kind: 'test', alert_id: tested.alert_id });
    const { json: list } = await admin('/v1/webhooks', 'GET');
    expect(JSON.stringify(list)).not.toContain(json.secret);
    await admin(`/v1/webhooks/${json.webhook_id}`, 'DELETE');
    expect((await admin('/v1/alerts/test', 'POST')).json.deliveries).toEqual([]);
  });

  it('that is down is tried again later, with growing pauses, and given up in the end', async () => {
    const { json } = await admin('/v1/webhooks', 'POST', { url: receiver.url });
    receiver.respond = (response) => response.writeHead(503).end();
    const node = station();
    expect((await admin('/v1/alerts/test', 'POST')).json.deliveries[0]).toMatchObject({ delivered: false });
    await node.look();
    expect(receiver.received).toHaveLength(1);
    for (const [i, pause] of [30_000, 120_000, 600_000, 3_600_000, 21_600_000].entries()) {
      now += pause - 1_000;
      await node.look();
      expect(receiver.received).toHaveLength(i + 1);
      now += 1_000;
      await node.look();
      expect(receiver.received).toHaveLength(i + 2);
    }
    now += 86_400_000;
    await node.look();
    expect(receiver.received).toHaveLength(6);
    await node.stop();
    await admin(`/v1/webhooks/${json.webhook_id}`, 'DELETE');
  });

  it('that comes back gets what it missed, once', async () => {
    const { json } = await admin('/v1/webhooks', 'POST', { url: receiver.url });
    receiver.respond = (response) => response.destroy();
    const failed = await admin('/v1/alerts/test', 'POST');
    expect(failed.json.deliveries[0].detail).toContain('cannot be reached');
    receiver.respond = (response) => response.writeHead(200).end();
    now += 30_000;
    const nodes = [station(), station()];
    await Promise.all(nodes.map((node) => node.look()));
    await Promise.all(nodes.map((node) => node.look()));
    expect(receiver.received).toHaveLength(2);
    for (const node of nodes) await node.stop();
    await admin(`/v1/webhooks/${json.webhook_id}`, 'DELETE');
  });

  it('is noted before the server stops: what is on its way is waited for, and not sent again', async () => {
    const { json } = await admin('/v1/webhooks', 'POST', { url: receiver.url });
    const arrived = new Promise<() => void>((resolve) => {
      receiver.respond = (response) => resolve(() => response.writeHead(200).end());
    });
    const alert = { kind: 'coverage_lost' as const, subject: 'on-its-way', message: 'Lost.', data: {} };
    await raiseAlert(server.context, 'acme', { alert, log: LOG });
    const node = station();
    const looked = node.look();
    const answer = await arrived;
    let hasStopped = false;
    const stopped = node.stop().then(() => {
      hasStopped = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(hasStopped).toBe(false);
    answer();
    await Promise.all([stopped, looked]);
    expect(
      (await server.context.store.documents.list('acme', 'alert_delivery', { limit: 10 })).items,
    ).toEqual([]);
    await admin(`/v1/webhooks/${json.webhook_id}`, 'DELETE');
  });

  it.each([
    'http://10.0.0.7/',
    'https://[::1]:8443/hook',
    'http://169.254.169.254/latest',
    'http://2886729729/',
  ])('cannot be %s, which is private and not among those that the operator allows', async (bad) => {
    const { status, json } = await admin('/v1/webhooks', 'POST', { url: bad });
    expect({ status, code: json.code, path: json.details[0].path }).toEqual({
      status: 400,
      code: 'invalid_request',
      path: 'url',
    });
    expect(json.error).toContain('webhook_networks');
  });

  it.each(['ftp://example.com', 'not a url', 'javascript:alert(1)'])('cannot be %s', async (bad) => {
    expect((await admin('/v1/webhooks', 'POST', { url: bad })).json.code).toBe('invalid_request');
  });
});

describe('what a webhook may reach', () => {
  const post = (to: string, more: Partial<Parameters<typeof postWebhook>[2]> = {}) =>
    postWebhook(to, { body: '{}', headers: {} }, { isAllowed: () => false, timeoutMs: 5_000, ...more });
  /** A name that means what the test wants it to mean. */
  const naming = (...addresses: string[]) =>
    ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as unknown as typeof lookup;

  it('is no private address, however it is written', async () => {
    const { port } = new URL(receiver.url);
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
    ]) {
      expect(await post(`http://${host}:${port}/`), host).toMatchObject({
        delivered: false,
        detail: expect.stringContaining('private address'),
      });
    }
    expect(receiver.received).toEqual([]);
  });

  it('is no private address behind a name, also not as one of several', async () => {
    const { port } = new URL(receiver.url);
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::ffff:10.0.0.1'], []]) {
      const resolve = naming(...addresses);
      expect(await post(`http://innocent.example:${port}/`, { resolve })).toMatchObject({
        delivered: false,
        detail: expect.stringContaining('private address'),
      });
    }
    expect(receiver.received).toEqual([]);
    const allowed = await post(`http://inside.example:${port}/`, {
      resolve: naming('127.0.0.1'),
      isAllowed: isLocal,
    });
    expect(allowed.delivered).toBe(true);
  });

  it('is not where a redirect leads', async () => {
    receiver.respond = (response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end();
    expect(await post(receiver.url, { isAllowed: isLocal })).toEqual({
      delivered: false,
      detail: 'It answered 302; redirects are not followed.',
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('has a while to answer, and no longer', async () => {
    receiver.respond = () => {};
    expect(await post(receiver.url, { isAllowed: isLocal, timeoutMs: 100 })).toEqual({
      delivered: false,
      detail: 'It did not answer in time.',
    });
  });

  it.each([
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:192.168.1.1',
    '64:ff9b::10.0.0.1',
    '2002:a00:1::',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b:1::10.0.0.1',
    '2001:0:5db8:d822::1',
    'ff02::1',
    'nonsense',
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:2800:220:1::1',
    '::ffff:93.184.216.34',
    '2002:5db8:d822::',
    '::ffff:0:93.184.216.34',
    '2001:4860:4860::8888',
  ])('%s is public', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});
