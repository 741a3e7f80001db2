import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reputationOf } from '../../src/core/reputation.ts';
import { startServer, type TestServer } from '../support/server.ts';

const START = Date.UTC(2026, 9, 1);
const HOUR = 3_600_000;
let server: TestServer;
let now = START;
beforeAll(async () => {
  server = await startServer({ clock: () => now });
});
afterAll(() => server.stop());

const ids = ({ json }: { json: { items: { evaluation_id: string }[] } }) =>
  json.items.map(({ evaluation_id }) => evaluation_id);

describe('GET /v1/events', () => {
  beforeAll(async () => {
    for (let i = 0; i < 12; i++) {
      now = START + i * HOUR;
      const passed = i % 3 !== 0;
      const event = {
        evaluation_id: `e${i}`,
        agent_id: i % 2 ? 'odd' : 'even/one',
        tool: i < 6 ? 'read' : 'write "it"',
        source: i % 4 ? 'sdk' : 'proxy',
        session_id: `s${i % 5}`,
        passed,
        gates: [{ name: i % 2 ? 'pii' : 'pii"x', outcome: passed ? 'passed' : 'failed', latency_ms: 1 }],
        total_latency_ms: 10,
      };
      await server.call('/v1/ingest', { body: { events: [event] } });
    }
  });

  it('pages from the newest to the oldest, and new ones do not shift the pages', async () => {
    const first = await server.call('/v1/events?limit=5');
    expect(ids(first)).toEqual(['e11', 'e10', 'e9', 'e8', 'e7']);
    await server.call('/v1/evaluate', { body: { agent_id: 'late', output: 'x', evaluation_id: 'late' } });
    const second = await server.call(`/v1/events?limit=5&cursor=${first.json.next_cursor}`);
    expect(ids(second)).toEqual(['e6', 'e5', 'e4', 'e3', 'e2']);
    const third = await server.call(`/v1/events?limit=5&cursor=${second.json.next_cursor}`);
    expect(ids(third)).toEqual(['e1', 'e0']);
    expect(third.json.next_cursor).toBeNull();
    await server.call('/v1/agents/late', { method: 'DELETE', key: server.sk });
  });

  it.each([
    ['agent_id=even%2Fone', ['e10', 'e8', 'e6', 'e4', 'e2', 'e0']],
    ['tool=write%20%22it%22', ['e11', 'e10', 'e9', 'e8', 'e7', 'e6']],
    ['gate=pii&limit=3', ['e11', 'e9', 'e7']],
    ['gate=pii%22x&limit=3', ['e10', 'e8', 'e6']],
    ['verdict=failed', ['e9', 'e6', 'e3', 'e0']],
    ['verdict=passed&agent_id=odd', ['e11', 'e7', 'e5', 'e1']],
    ['source=proxy', ['e8', 'e4', 'e0']],
    ['session_id=s4', ['e9', 'e4']],
    [`from=${START + 9 * HOUR}&to=${START + 11 * HOUR}`, ['e10', 'e9']],
    [`from=${new Date(START + 10 * HOUR).toISOString()}`, ['e11', 'e10']],
    ['agent_id=nobody', []],
    ['tool=never', []],
  ])('filters by %s', async (query, expected) => {
    expect(ids(await server.call(`/v1/events?${query}`))).toEqual(expected);
  });

  it('takes a voided one out of the score and leaves it visible', async () => {
    const before = (await server.call('/v1/reputation/odd')).json;
    const call = { key: server.sk, body: { reason: 'The gate was wrong.' } };
    const voided = await server.call('/v1/events/e9/void', call);
    expect(voided.status).toBe(200);
    expect(voided.json.voided).toEqual({ at: new Date(now).toISOString(), reason: 'The gate was wrong.' });
    const after = (await server.call('/v1/reputation/odd')).json;
    expect(after).toMatchObject({ evaluations: before.evaluations - 1, passed: before.passed });
    now += HOUR;
    expect((await server.call('/v1/events/e9/void', { ...call, body: { reason: 'again' } })).json).toEqual(
      voided.json,
    );
    expect((await server.call('/v1/events/e9')).json.voided.reason).toBe('The gate was wrong.');
    expect((await server.call('/v1/events/nothing/void', call)).status).toBe(404);
    const { json: audit } = await server.call('/v1/audit?limit=1', { key: server.sk });
    expect(audit.items[0]).toMatchObject({
      action: 'evaluation.void',
      target: 'e9',
      note: 'The gate was wrong.',
    });
  });
});

describe('GET /v1/reputation/:agentId/history', () => {
  it('says how the agent stood at the end of each step', async () => {
    const query = `from=${START - HOUR}&to=${START + 11 * HOUR}&step=2h`;
    const { json } = await server.call(`/v1/reputation/even%2Fone/history?${query}`);
    const passed = [false, true, true, false, true, true];
    const expected = Array.from({ length: 6 }, (_, i) =>
      reputationOf(passed.slice(0, i + 1).map((one) => ({ passed: one, latencyMs: 10 }))),
    );
    expect(json.points.map(({ at }: { at: string }) => Date.parse(at))).toEqual(
      expected.map((_, i) => START + (2 * i + 1) * HOUR),
    );
    expect(json.points.map(({ score }: { score: number }) => score)).toEqual(
      expected.map(({ score }) => score),
    );
    expect(json.points.at(-1)).toMatchObject({ eval_count: 6, streak: 2, lifecycle: 'calibrating' });
  });

  it('covers thirty days by default, and is zero for an agent nobody knows', async () => {
    const { json } = await server.call('/v1/reputation/nobody/history');
    expect(json.points).toHaveLength(30);
    expect(new Set(json.points.map(({ score }: { score: number }) => score))).toEqual(new Set([0]));
    expect(json.points.at(-1).at).toBe(new Date(now).toISOString());
  });
});

describe('identities', () => {
  const identity_id = '5b0a4c1e-0f0e-5c39-9c5c-0b7c3a1f2d4e';
  const event = (given: object) => ({
    identity_id,
    category: 'economic',
    event_type: 'payment_completed',
    score_delta: 0.5,
    ...given,
  });

  it('are scored from their events, each counted once', async () => {
    const event_id = 'b2d1c7e4-6f0a-4c3b-9e8d-4a7f10c5d236';
    const events = [
      event({ event_id, attributes: { currency: 'EUR' }, reference_type: 'transaction', reference_id: 't1' }),
      event({ event_id }),
      event({ category: 'task_quality', score_delta: -1, timestamp: now - 8 * 24 * HOUR }),
    ];
    const { status, json } = await server.call('/v1/reputation-events', { body: { events } });
    expect(status).toBe(202);
    expect(json).toEqual({ accepted: 2, duplicates: [event_id] });
    const { json: score } = await server.call(`/v1/identities/${identity_id.toUpperCase()}/reputation`);
    expect(score).toMatchObject({
      identity_id,
      total_events: 2,
      economic_score: 0.5,
      task_quality_score: -1,
      score_7d_ago: -0.4,
    });
    const list = await server.call(`/v1/identities/${identity_id}/events?limit=1`);
    expect(list.json.items).toMatchObject([{ event_id, attributes: { currency: 'EUR' }, confidence: 1 }]);
    const rest = await server.call(`/v1/identities/${identity_id}/events?cursor=${list.json.next_cursor}`);
    expect(rest.json.items).toMatchObject([{ category: 'task_quality' }]);
    expect((await server.call('/v1/agents/x/card')).json.scores.identity).toBeNull();
  });

  it('show on the card of the agent that is one', async () => {
    const body = { agent_id: 'payer', identity_id };
    await server.call('/v1/agents', { key: server.sk, body });
    const { json } = await server.call('/v1/agents/payer/card');
    expect(json.scores.identity).toMatchObject({ total_events: 2, economic_score: 0.5 });
  });

  it.each([
    [{ score_delta: 1_001 }, 'events[1].score_delta'],
    [{ confidence: 1.5 }, 'events[1].confidence'],
    [{ category: 'charm' }, 'events[1].category'],
    [{ identity_id: 'me' }, 'events[1].identity_id'],
    [{ reference_type: 'rumour' }, 'events[1].reference_type'],
    [{ timestamp: 9e15 }, 'events[1].timestamp'],
    [{ attributes: { deep: {} } }, 'events[1].attributes.deep'],
    [{ event_type: '' }, 'events[1].event_type'],
  ])('refuse %j, and all that came with it', async (given, path) => {
    const other = '11111111-1111-4111-8111-111111111111';
    const { status, json } = await server.call('/v1/reputation-events', {
      body: { events: [event({ identity_id: other }), event(given)] },
    });
    expect(status).toBe(400);
    expect(json.details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect((await server.call(`/v1/identities/${other}/reputation`)).json.total_events).toBe(0);
  });
});
