import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { keysOf, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
/** How far the clock of the server is ahead of ours. */
let ahead = 0;
beforeAll(async () => {
  server = await startServer({ clock: () => Date.now() + ahead });
});
afterAll(() => server.stop());

interface StreamEvent {
  id: string | undefined;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into events of every shape.
  data: any;
}

/** Follows a stream until it has seen what it waits for, and hangs up. */
function follow(
  { key = server.pk, lastId, path = '/v1/stream' }: { key?: string; lastId?: string; path?: string },
  isEnough: (events: StreamEvent[]) => boolean,
): { ready: Promise<void>; events: Promise<StreamEvent[]> } {
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const events = new Promise<StreamEvent[]>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    };
    const request = get(`${server.url}${path}`, { headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        isReady();
        const seen = parseEvents(text);
        if (!isEnough(seen)) return;
        resolve(seen);
        request.destroy();
      });
      response.on('end', () => resolve(parseEvents(text)));
    });
    request.on('error', reject);
  });
  return { ready, events };
}

function parseEvents(text: string): StreamEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      return { id: field('id'), event: field('event') ?? '', data: JSON.parse(field('data') ?? 'null') };
    });
}

const evaluate = (evaluation_id: string, agent_id = 'streamer', key = server.pk) =>
  server.call('/v1/evaluate', { key, body: { agent_id, output: 'x', evaluation_id } });
const evaluations = (events: StreamEvent[]) => events.filter(({ event }) => event === 'evaluation');
const seenIds = (events: StreamEvent[]) => evaluations(events).map(({ data }) => data.evaluation_id);

describe('GET /v1/stream', () => {
  it('tells of evaluations and score changes as they happen, and of no other org', async () => {
    const [foreign] = await keysOf(server, 'globex');
    const following = follow({}, (events) => events.filter(({ event }) => event === 'score').length >= 2);
    await following.ready;
    await evaluate('foreign-1', 'streamer', foreign);
    await evaluate('live-1');
    await evaluate('live-2', 'second');
    const events = await following.events;
    expect(events[0]).toMatchObject({ event: 'ready', id: expect.stringMatching(/^\d+$/) });
    expect(seenIds(events)).toEqual(['live-1', 'live-2']);
    expect(evaluations(events)[0]?.data).toMatchObject({
      agent_id: 'streamer',
      known_as: 'server',
      passed: true,
    });
    const scores = events.filter(({ event }) => event === 'score').map(({ data }) => data);
    expect(scores).toEqual(
      expect.arrayContaining([
        { agent_id: 'streamer', score: expect.any(Number), lifecycle: 'calibrating', eval_count: 1 },
        { agent_id: 'second', score: expect.any(Number), lifecycle: 'calibrating', eval_count: 1 },
      ]),
    );
  });

  it('goes on where it was left, and misses nothing in between', async () => {
    const first = follow({}, (events) => evaluations(events).length >= 3);
    await first.ready;
    for (const id of ['r1', 'r2', 'r3']) await evaluate(id);
    const [, second] = evaluations(await first.events);
    for (const id of ['r4', 'r5']) await evaluate(id);
    const resumed = follow({ lastId: second?.id ?? '' }, (events) => evaluations(events).length >= 3);
    expect(seenIds(await resumed.events)).toEqual(['r3', 'r4', 'r5']);
    const byQuery = follow(
      { path: `/v1/stream?after=${second?.id}` },
      (events) => evaluations(events).length >= 3,
    );
    expect(seenIds(await byQuery.events)).toEqual(['r3', 'r4', 'r5']);
  });

  it('tells of a score that a void has changed', async () => {
    await evaluate('v1', 'voided');
    const following = follow({}, (events) => events.some(({ event }) => event === 'score'));
    await following.ready;
    await server.call('/v1/events/v1/void', { key: server.sk, body: { reason: 'wrong' } });
    expect((await following.events).at(-1)).toMatchObject({
      event: 'score',
      data: { agent_id: 'voided', score: 0, eval_count: 0 },
    });
  });

  it('needs a key', async () => {
    expect((await server.call('/v1/stream', { key: null })).status).toBe(401);
  });

  it('ends with the key that opened it', async () => {
    const admin = { key: server.sk, method: 'POST' };
    const { json: made } = await server.call('/v1/keys', { ...admin, body: { kind: 'pk' } });
    const following = follow({ key: made.key }, () => false);
    await following.ready;
    await evaluate('before-the-end');
    await server.call(`/v1/keys/${made.key_id}`, { key: server.sk, method: 'DELETE' });
    ahead += LIMITS.keyTrustMs;
    await evaluate('after-the-end');
    expect(seenIds(await following.events)).not.toContain('after-the-end');
  });

  it('is open so many times for one key and no more, and others have theirs', async () => {
    const stops = Array.from({ length: LIMITS.streamsPerKeyMax }, () => {
      let stop = false;
      const following = follow({}, () => stop);
      return {
        ...following,
        stop: () => {
          stop = true;
        },
      };
    });
    await Promise.all(stops.map(({ ready }) => ready));
    expect(await server.call('/v1/stream')).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    const other = follow({ key: server.sk }, (events) => events.length > 0);
    expect(await other.events).toMatchObject([{ event: 'ready' }]);
    for (const { stop } of stops) stop();
    await evaluate('to-wake-them');
    await Promise.all(stops.map(({ events }) => events));
    const again = follow({}, (events) => events.length > 0);
    expect(await again.events).toMatchObject([{ event: 'ready' }]);
  });

  it('is not opened by a look at its head', async () => {
    const answer = await fetch(`${server.url}/v1/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${server.pk}` },
    });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
  });
});
