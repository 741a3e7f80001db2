import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { type Case, expectAgreement, vectors } from '../support/vectors.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

function event(evaluation_id: string, given: object = {}) {
  return {
    evaluation_id,
    agent_id: 'reviewer',
    passed: true,
    gates: [{ name: 'content', outcome: 'passed', latency_ms: 0.1 }],
    total_latency_ms: 0.5,
    ...given,
  };
}

const failed = { passed: false, gates: [{ name: 'content', outcome: 'failed', latency_ms: 0.1 }] };

describe('POST /v1/ingest', () => {
  it('takes finished evaluations and says where each agent stands', async () => {
    const events = [event('i1'), event('i2', failed), event('i3', { agent_id: 'other' }), event('i1')];
    const { status, json } = await server.call('/v1/ingest', { body: { events } });
    expect(status).toBe(202);
    expect(json).toMatchObject({
      accepted: 3,
      duplicates: ['i1'],
      reputations: { reviewer: { eval_count: 2, lifecycle: 'calibrating' }, other: { eval_count: 1 } },
    });
    const again = await server.call('/v1/ingest', { body: { events } });
    expect(again.json).toMatchObject({ accepted: 0, duplicates: ['i1', 'i2', 'i3', 'i1'] });
  });

  it('keeps everything an evaluation carries, but for the details of its gates', async () => {
    const rich = event('rich', {
      tool: 'send_mail',
      timestamp: '2026-11-01T10:00:00+01:00',
      latency_ms: 900,
      source: 'proxy',
      direction: 'request',
      suite_hash: 'abc',
      sample_rate: 0.5,
      model: 'm',
      version: 'v',
      session_id: 's/1',
      trace_id: 't',
      tags: ['a', 'ü'],
      gates: [
        { name: 'content', outcome: 'passed', passed: true, latency_ms: 0.1, details: { secret: 'shh' } },
      ],
    });
    await server.call('/v1/ingest', { body: { events: [rich] } });
    const { json } = await server.call('/v1/events/rich');
    const { timestamp: _, ...kept } = rich as ReturnType<typeof event> & { timestamp: string };
    expect(json).toMatchObject({
      ...kept,
      occurred_at: '2026-11-01T09:00:00.000Z',
      known_as: 'reported',
      counts: true,
      gates: [{ name: 'content', outcome: 'passed', passed: true, latency_ms: 0.1 }],
    });
    expect(JSON.stringify(json)).not.toContain('shh');
  });

  it.each(vectors('reputation').map((one): [string, Case] => [one.name, one]))(
    'gives the golden score for: %s',
    async (name, { evaluations, expected }) => {
      const agent_id = `golden ${name}`;
      const events = (evaluations as [boolean, number][]).map(([passed, total_latency_ms], i) =>
        event(`${name}-${i}`, { agent_id, ...(passed ? {} : failed), total_latency_ms }),
      );
      for (let i = 0; i < events.length; i += 1_000) {
        const body = { events: events.slice(i, i + 1_000) };
        expect((await server.call('/v1/ingest', { body })).status).toBe(202);
      }
      const { json } = await server.call(`/v1/reputation/${encodeURIComponent(agent_id)}`);
      expectAgreement(json, expected);
    },
  );

  it.each([
    [
      'a gate that timed out',
      [
        { name: 'a', outcome: 'passed' },
        { name: 'b', outcome: 'timeout' },
      ],
      false,
    ],
    ['a gate that threw', [{ name: 'a', outcome: 'error' }], false],
    ['only skipped gates', [{ name: 'a', outcome: 'skipped' }], true],
    ['no gates', [], true],
  ])('does not count an evaluation with %s', async (name, outcomes, passed) => {
    const gates = outcomes.map((gate) => ({ ...gate, latency_ms: 1 }));
    const body = { events: [event(`uncounted ${name}`, { agent_id: name, gates, passed })] };
    expect((await server.call('/v1/ingest', { body })).json).toMatchObject({
      accepted: 1,
      reputations: { [name]: { eval_count: 0, lifecycle: 'new' } },
    });
  });

  it('does not hold against an agent what the injection gate found in an answer to it', async () => {
    const injection = { name: 'injection', outcome: 'failed', latency_ms: 1 };
    const own = { name: 'secrets', outcome: 'failed', latency_ms: 1 };
    const base = { agent_id: 'victim', passed: false, direction: 'response' };
    const events = [
      event('page', { ...base, gates: [injection] }),
      event('both', { ...base, gates: [injection, own] }),
      event('asked', { ...base, gates: [injection], direction: 'request' }),
    ];
    expect((await server.call('/v1/ingest', { body: { events } })).json.reputations.victim.eval_count).toBe(
      2,
    );
  });

  it('reads a body that is compressed', async () => {
    const body = gzipSync(JSON.stringify({ events: [event('zipped')] }));
    const { status } = await server.call('/v1/ingest', { body, headers: { 'content-encoding': 'gzip' } });
    expect(status).toBe(202);
    expect((await server.call('/v1/events/zipped')).status).toBe(200);
  });

  it('refuses the whole batch for one bad event, and names each bad one', async () => {
    const events = [
      event('fine'),
      event('late', { total_latency_ms: -1 }),
      event('odd', { passed: false }),
      event('later', { latency_ms: 86_400_001 }),
    ];
    const contradiction = await server.call('/v1/ingest', { body: { events: events.slice(0, 3) } });
    expect(contradiction.json).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'events[2].passed' }],
    });
    const ranges = await server.call('/v1/ingest', { body: { events: [events[0], events[1], events[3]] } });
    expect(ranges.status).toBe(400);
    expect(ranges.json.details.map(({ path }: { path: string }) => path)).toEqual([
      'events[1].total_latency_ms',
      'events[2].latency_ms',
    ]);
    const shapes = await server.call('/v1/ingest', {
      body: { events: [{ ...event('fine'), agent_id: 7 }, event('x', { sample_rate: 2 }), { surplus: 1 }] },
    });
    const paths = shapes.json.details.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['events[0].agent_id', 'events[1].sample_rate', 'events[2].surplus']),
    );
    expect((await server.call('/v1/events/fine')).status).toBe(404);
  });

  it.each([
    ['no events', { events: [] }],
    ['too many', { events: Array.from({ length: 1_001 }, (_, i) => event(`many-${i}`)) }],
  ])('refuses a batch of %s', async (_, body) => {
    expect((await server.call('/v1/ingest', { body })).json).toMatchObject({
      status: 400,
      details: [{ path: 'events', message: 'must be 1 to 1000 events' }],
    });
  });
});
