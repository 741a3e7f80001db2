/** What runs found, read in every way there is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished } from '../support/runs.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let runId: string;
const DAY = Date.parse('2026-11-10T00:00:00Z');

/** Three sessions on two days, one of them without any signal. */
beforeAll(async () => {
  server = await startServer();
  const trace = (session_id: string, day: number, signals: object) => ({
    session_id,
    trace_id: 't1',
    agent_id: 'support',
    signals,
    started_at: DAY + day * 86_400_000 + 1_000,
    tags: ['blue'],
  });
  await server.call('/v1/signals', {
    body: {
      traces: [
        trace('good', 0, { confidence: 0.95 }),
        trace('bad', 1, { confidence: 0.2, coherence: 0.3 }),
        trace('mute', 1, {}),
      ],
    },
  });
  const run = await server.call('/v1/session-runs', { body: { filter: {} } });
  runId = run.json.run_id;
  await finished(server, runId);
});
afterAll(() => server.stop());

const get = async (path: string) => (await server.call(path)).json;

it('a run counts what it covered', async () => {
  expect(await get(`/v1/session-runs/${runId}`)).toMatchObject({
    state: 'completed',
    progress: { selected: 3, evaluated: 3, unchanged: 0, failed: 0, traces: 3 },
  });
  expect((await get('/v1/session-runs?state=completed')).items).toHaveLength(1);
  expect((await get('/v1/session-runs?state=failed')).items).toEqual([]);
});

describe('sessions', () => {
  it('come worst first, and those of which nothing was seen last', async () => {
    const { items } = await get('/v1/sessions?metric=agent_reliability');
    expect(items.map((one: { session_id: string }) => one.session_id)).toEqual(['bad', 'good', 'mute']);
    expect(items[0]).toMatchObject({
      agent_id: 'support',
      tags: ['blue'],
      quadrant: 'unreliable and unstable',
      agent_reliability: { passed: false, evidence: 'partial' },
    });
    expect(items[2]).toMatchObject({
      quadrant: null,
      agent_reliability: { score: 1, passed: null, band: null, evidence: 'none' },
      agent_consistency: { passed: null, evidence: 'none' },
    });
    const page = await get('/v1/sessions?metric=agent_reliability&limit=1');
    expect(
      (await get(`/v1/sessions?metric=agent_reliability&limit=1&cursor=${page.next_cursor}`)).items[0]
        .session_id,
    ).toBe('good');
  });

  it('have their scores listed by filters', async () => {
    const count = async (query: string) => (await get(`/v1/session-scores?${query}`)).items.length;
    expect(await count('')).toBe(6);
    expect(await count('metric=agent_reliability')).toBe(3);
    expect(await count('session_id=bad&passed=false')).toBe(2);
    expect(await count('evidence=none')).toBe(2);
    expect(await count('passed=true')).toBe(2);
    expect(await count('agent_id=nobody')).toBe(0);
    expect(await count('from=2026-11-11T00:00:00Z')).toBe(4);
    expect(await count(`run_id=${runId}&tag=blue`)).toBe(6);
  });
});

describe('figures', () => {
  it('sum sessions up, and never count what was not seen as a pass or in a mean', async () => {
    const { metrics } = await get('/v1/session-scores/summary');
    expect(metrics[0]).toMatchObject({
      metric: 'agent_reliability',
      sessions: 2,
      without_evidence: 1,
      passed: 1,
      failed: 1,
      pass_rate: 0.5,
    });
    expect(metrics[0].mean).toBeCloseTo((0.95 + 0.2) / 2, 9);
    expect(metrics[0].worst).toBeCloseTo(0.2, 9);
  });

  it('show a trend by the time of the sessions', async () => {
    const { points } = await get('/v1/session-scores/trend?metric=agent_reliability');
    expect(points).toMatchObject([
      { at: '2026-11-10T00:00:00.000Z', sessions: 1, without_evidence: 0, pass_rate: 1 },
      { at: '2026-11-11T00:00:00.000Z', sessions: 1, without_evidence: 1, pass_rate: 0 },
    ]);
  });

  it('show how scores are distributed', async () => {
    const { metrics } = await get('/v1/session-scores/distribution?metric=agent_reliability');
    const filled = metrics[0].bins.filter(({ sessions }: { sessions: number }) => sessions > 0);
    expect(filled).toEqual([
      { from: 0.1, to: 0.2, sessions: 1 },
      { from: 0.9, to: 1, sessions: 1 },
    ]);
  });

  it('count a session once, by its latest score', async () => {
    await server.call('/v1/signals', {
      body: { traces: [{ session_id: 'bad', trace_id: 't1', signals: { confidence: 1, coherence: 1 } }] },
    });
    const again = await server.call('/v1/session-runs', { body: { session_ids: ['bad'] } });
    await finished(server, again.json.run_id);
    const { metrics } = await get('/v1/session-scores/summary?metric=agent_reliability');
    expect(metrics[0]).toMatchObject({ sessions: 2, passed: 2 });
    // The first score is still there, and is still explained by the signals it was made from.
    const [first] = (await get(`/v1/session-runs/${runId}/scores?metadata=true&metric=agent_reliability`))
      .items;
    expect(first).toMatchObject({ session_id: 'bad', passed: false });
    expect(first.metadata.per_trace_signals.t1.confidence_risk).toBeCloseTo(0.8, 9);
  });

  it('stand on the card of the agent', async () => {
    const { scores } = await get('/v1/agents/support/card');
    expect(scores.agent_reliability).toMatchObject({ sessions: 2, without_evidence: 1, passed: 2 });
    expect(scores.agent_consistency).toMatchObject({ sessions: 2 });
    expect((await get('/v1/agents/nobody/card')).scores.agent_reliability).toBeNull();
  });
});

it('another org sees none of it', async () => {
  const { keysOf } = await import('../support/server.ts');
  const [key] = await keysOf(server, 'rival');
  expect((await server.call('/v1/sessions', { key })).json.items).toEqual([]);
  expect((await server.call(`/v1/session-runs/${runId}`, { key })).status).toBe(404);
  expect((await server.call('/v1/sessions/good/traces', { key })).status).toBe(404);
});
