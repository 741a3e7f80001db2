import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Dropped, EvaluationResult, RenownOptions } from '../../src/sdk/index.ts';
import { Renown } from '../../src/sdk/index.ts';
import { type MisbehavingServer, startMisbehaving } from '../support/misbehaving-server.ts';

const OK = { status: 202, json: { accepted: 1, duplicates: [], reputations: {} } };

const open: MisbehavingServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

describe('tracking', () => {
  it('sends batches in order, with nothing but metadata', async () => {
    const { server, renown } = await start([OK], { batchSize: 2 });
    const result = {
      ...evaluation('e1'),
      gates: [{ ...gate(), details: { at: 'payload' } }],
      output: 'payload',
    };
    renown.track(result, { session_id: 's', tags: ['t'] });
    for (const id of ['e2', 'e3']) renown.track(evaluation(id));
    await renown.flush();
    expect(sentIds(server)).toEqual([['e1', 'e2'], ['e3']]);
    expect(server.received[0]?.body.events[0]).toEqual({
      evaluation_id: 'e1',
      agent_id: 'a',
      tool: null,
      passed: true,
      gates: [gate()],
      total_latency_ms: 1,
      timestamp: 5,
      source: 'sdk',
      session_id: 's',
      tags: ['t'],
      sample_rate: 1,
    });
    expect(server.received[0]?.text).not.toContain('payload');
    expect(server.received[0]?.headers.authorization).toBe('Bearer pk_live_x');
  });

  it('sends by itself after a while, and at once when a batch is full', async () => {
    const { server, renown } = await start([OK], { flushMs: 1, batchSize: 100 });
    renown.track(evaluation('e1'));
    await vi.waitFor(() => expect(sentIds(server)).toEqual([['e1']]));
    const full = await start([OK], { flushMs: 60_000, batchSize: 2 });
    for (const id of ['e1', 'e2', 'e3']) full.renown.track(evaluation(id));
    await vi.waitFor(() => expect(sentIds(full.server).flat()).toEqual(['e1', 'e2', 'e3']));
  });

  it.each([
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['a connection that breaks', 'hang up' as const],
    ['a proxy that answers in HTML', { status: 502, json: '<html>' }],
  ])('tries again after %s, and sends every id once more only', async (_, fault) => {
    const { server, renown, drops } = await start([fault, fault, OK]);
    for (const id of ['e1', 'e2']) renown.track(evaluation(id));
    await renown.close();
    expect(sentIds(server)).toEqual([
      ['e1', 'e2'],
      ['e1', 'e2'],
      ['e1', 'e2'],
    ]);
    expect(drops).toEqual([]);
  });

  it('tries again when nobody answers in time', async () => {
    const { server, renown } = await start(['hang', OK], { timeoutMs: 500 });
    renown.track(evaluation('e1'));
    await renown.close();
    expect(sentIds(server)).toEqual([['e1'], ['e1']]);
  });

  it('waits as long as Retry-After says, in seconds or as a date', async () => {
    let now = 1_800_000_000_000;
    const date = new Date(now + 7000 + 3000).toUTCString();
    const slept: number[] = [];
    const { renown, server } = await start(
      [
        { status: 429, headers: { 'retry-after': '7' } },
        { status: 429, headers: { 'retry-after': date } },
        OK,
      ],
      {
        surroundings: {
          now: () => now,
          random: () => 0.5,
          sleep: async (ms) => {
            slept.push(ms);
            now += ms;
          },
        },
      },
    );
    renown.track(evaluation('e1'));
    await renown.flush();
    // Not even a flush comes before the time.
    await renown.flush();
    expect(server.received).toHaveLength(1);
    await renown.close({ timeoutMs: 60_000 });
    expect(slept).toEqual([7000, 3000]);
    expect(server.received).toHaveLength(3);
  });

  it('backs off longer each time, with jitter', async () => {
    let now = 0;
    const slept: number[] = [];
    const { renown } = await start([{ status: 500 }], {
      surroundings: {
        now: () => now,
        random: () => 0.5,
        sleep: async (ms) => {
          slept.push(ms);
          now += ms;
        },
      },
    });
    renown.track(evaluation('e1'));
    await renown.close({ timeoutMs: 10_000 });
    expect(slept.slice(0, 4)).toEqual([250, 500, 1000, 2000]);
  });

  it.each([
    ['as JavaScript would reach it', 'events[1].passed'],
    ['with dots', 'events.1.passed'],
  ])('drops only the events that a 400 names, %s', async (_, path) => {
    const refusal = {
      status: 400,
      json: { code: 'invalid_request', error: 'bad', details: [{ path, message: 'bad' }] },
    };
    const { server, renown, drops } = await start([refusal, OK]);
    for (const id of ['e1', 'e2', 'e3']) renown.track(evaluation(id));
    await renown.flush();
    expect(sentIds(server)).toEqual([
      ['e1', 'e2', 'e3'],
      ['e1', 'e3'],
    ]);
    expect(drops).toEqual([{ count: 1, reason: 'refused' }]);
  });

  it('finds a bad event by halves when a 400 names none', async () => {
    const { server, renown, drops } = await start([
      ({ body }) =>
        body.events.some(({ evaluation_id }: { evaluation_id: string }) => evaluation_id === 'e3')
          ? { status: 400, json: { code: 'invalid_request', error: 'bad' } }
          : OK,
    ]);
    for (const id of ['e1', 'e2', 'e3', 'e4']) renown.track(evaluation(id));
    await renown.flush();
    expect(
      sentIds(server)
        .flat()
        .filter((id) => id === 'e4'),
    ).not.toEqual([]);
    expect(renown.pending).toBe(0);
    expect(drops).toEqual([{ count: 1, reason: 'refused' }]);
  });

  it('keeps everything while a key is not good', async () => {
    const { renown, drops } = await start([{ status: 401, json: { code: 'unauthorized', error: 'no' } }]);
    renown.track(evaluation('e1'));
    await renown.flush();
    expect(renown.pending).toBe(1);
    expect(drops).toEqual([]);
  });

  it('drops the oldest when the queue is full, and says how many', async () => {
    const { server, renown, drops } = await start([OK], { queueMax: 20, batchSize: 50 });
    for (let i = 0; i < 25; i++) renown.track(evaluation(`e${i}`));
    await renown.flush();
    const sent = sentIds(server).flat();
    expect(sent[0]).toBe('e6');
    expect(sent.at(-1)).toBe('e24');
    expect(drops).toEqual([{ count: 6, reason: 'queue_full' }]);
  });

  it('sends an id that is tracked twice once', async () => {
    const { server, renown } = await start([OK]);
    for (const id of ['e1', 'e1', 'e2']) renown.track(evaluation(id));
    await renown.flush();
    expect(sentIds(server)).toEqual([['e1', 'e2']]);
  });

  it('sends the share it was told to, and says which share that is', async () => {
    const draws = [0.1, 0.3, 0.24, 0.9];
    const { server, renown } = await start([OK], {
      sampleRate: 0.25,
      surroundings: { random: () => draws.shift() ?? 1 },
    });
    for (const id of ['e1', 'e2', 'e3', 'e4']) renown.track(evaluation(id));
    await renown.flush();
    expect(sentIds(server)).toEqual([['e1', 'e3']]);
    expect(server.received[0]?.body.events[0].sample_rate).toBe(0.25);
  });

  it('signs batches so that the server can check them, never twice the same way', async () => {
    const { server, renown } = await start([{ status: 500 }, OK], {
      signingSecret: 'ss_live_x',
      surroundings: { now: () => 5_000, random: () => 0 },
    });
    renown.track(evaluation('e1'));
    await renown.close();
    const signatures = server.received.map(({ headers, text }) => {
      const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-renown-signature'])) ?? [];
      expect(v1).toBe(createHmac('sha256', 'ss_live_x').update(`${t}.${text}`).digest('hex'));
      return t;
    });
    expect(signatures).toEqual(['5', '6']);
  });

  it('gives up when its time is over, and counts what is lost', async () => {
    const { renown, drops } = await start(['hang up']);
    for (const id of ['e1', 'e2']) renown.track(evaluation(id));
    await renown.close({ timeoutMs: 0 });
    renown.track(evaluation('e3'));
    await renown.close({ timeoutMs: 0 });
    expect(drops).toEqual([
      { count: 2, reason: 'closed' },
      { count: 1, reason: 'closed' },
    ]);
  });

  it('keeps its deadline whatever a hanging server does', async () => {
    const { server, renown, drops } = await start(['hang'], { timeoutMs: 60_000 });
    renown.track(evaluation('e1'));
    await renown.close({ timeoutMs: 100 });
    // The request itself may take a minute: that it is over says that the deadline was kept.
    expect(drops).toEqual([{ count: 1, reason: 'closed' }]);
    expect(sentIds(server)).toEqual([['e1']]);
  });

  it('drops what cannot be written as JSON, and sends the rest', async () => {
    const { server, renown, drops } = await start([OK], { flushMs: 1 });
    renown.track({ ...evaluation('e1'), gates: [null as never] });
    renown.track(evaluation('e2'), { tags: [1n as never] });
    renown.track(evaluation('e3'));
    await vi.waitFor(() => expect(sentIds(server)).toEqual([['e3']]));
    await renown.close();
    expect(drops).toEqual([{ count: 2, reason: 'invalid' }]);
  });

  it('drops nothing that is on its way', async () => {
    const { server, renown, drops } = await start([OK], { batchSize: 5, queueMax: 10 });
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `e${from + i}`);
    for (const id of ids(0, 10)) renown.track(evaluation(id));
    const sent = renown.flush();
    for (const id of ids(10, 12)) renown.track(evaluation(id));
    await sent;
    await renown.close();
    const dropped = drops.reduce((sum, { count }) => sum + count, 0);
    expect(sentIds(server).flat().length + dropped).toBe(12);
    expect(sentIds(server)[0]).toEqual(ids(0, 5));
  });

  it('throws on nothing', async () => {
    const { renown, drops } = await start([OK], { onDrop: undefined as never });
    for (const nonsense of [null, undefined, 1, {}, { gates: 5 }]) renown.track(nonsense as never);
    expect(renown.pending).toBe(0);
    expect(drops).toEqual([]);
    await renown.flush();
  });
});

describe('asking the server', () => {
  it('evaluates under one id however often it has to ask', async () => {
    const { server, renown } = await start([{ status: 503 }, { status: 200, json: { passed: true } }]);
    expect(await renown.evaluate({ agent_id: 'a', output: 'x' })).toEqual({ passed: true });
    const [first, second] = server.received.map(({ body }) => body);
    expect(first).toEqual({ agent_id: 'a', output: 'x', evaluation_id: expect.any(String) });
    expect(second).toEqual(first);
  });

  it('says what the server said', async () => {
    const details = [{ path: 'agent_id', message: 'must be a text' }];
    const { renown } = await start([
      { status: 400, json: { code: 'invalid_request', error: 'agent_id must be a text.', details } },
    ]);
    await expect(renown.evaluate({ agent_id: '', output: 1 })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'agent_id must be a text.',
      details,
    });
  });

  it('says that nobody is there', async () => {
    const { renown, server } = await start([]);
    await server.close();
    await expect(renown.reputation('a')).rejects.toMatchObject({ code: 'server_unavailable' });
  });

  it('reads the reputation of agents with any name', async () => {
    const { server, renown } = await start([{ status: 200, json: { score: 7 } }]);
    expect(await renown.reputation('a/b ü')).toEqual({ score: 7 });
    expect(server.received[0]?.path).toBe('/v1/reputation/a%2Fb%20%C3%BC');
    await expect(renown.reputation('')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('posts signals and reputation events', async () => {
    const { server, renown } = await start([{ status: 202 }]);
    await renown.signals([{ session_id: 's', trace_id: 't', signals: { confidence: 1 } }]);
    await renown.events([{ identity_id: 'i', category: 'economic' }]);
    expect(server.received.map(({ path }) => path)).toEqual(['/v1/signals', '/v1/reputation-events']);
    expect(server.received[1]?.body.events[0].event_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['url', { url: 'localhost:4100' }],
    ['key', { key: '' }],
    ['sampleRate', { sampleRate: 0 }],
    ['batchSize', { batchSize: 1001 }],
    ['queueMax', { queueMax: 0 }],
    ['flushMs', { flushMs: -1 }],
  ])('refuses a bad %s when it is made', (path, options) => {
    expect(() => new Renown({ url: 'http://x', key: 'k', ...options })).toThrow(path);
  });
});

async function start(behaviours: Parameters<typeof startMisbehaving>, options: Partial<RenownOptions> = {}) {
  const server = await startMisbehaving(...behaviours);
  open.push(server);
  const drops: Dropped[] = [];
  const renown = new Renown({
    url: server.url,
    key: 'pk_live_x',
    flushMs: 60_000,
    onDrop: (dropped) => drops.push(dropped),
    ...options,
    surroundings: { random: () => 0, ...options.surroundings },
  });
  return { server, renown, drops };
}

function evaluation(id: string): EvaluationResult {
  return {
    evaluation_id: id,
    agent_id: 'a',
    tool: null,
    passed: true,
    gates: [gate()],
    total_latency_ms: 1,
    timestamp: 5,
  };
}

function gate() {
  return { name: 'content', outcome: 'passed' as const, passed: true, latency_ms: 0.1 };
}

function sentIds({ received }: MisbehavingServer): string[][] {
  return received.map(({ body }) =>
    body.events.map(({ evaluation_id }: { evaluation_id: string }) => evaluation_id),
  );
}
