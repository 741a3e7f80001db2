/** Session metrics over HTTP: signals posted, a run asked for, scores and metadata read back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished } from '../support/runs.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Case, expectAgreement, type Metric, vectors } from '../support/vectors.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(['agent_reliability', 'agent_consistency'] as const)('the vectors of %s', (metric: Metric) => {
  it('hold from signals to metadata', async () => {
    const cases = vectors(metric);
    expect(cases.length).toBeGreaterThan(10);
    for (const [i, one] of cases.entries()) await expectCase(one, metric, `${metric}-${i}`);
  }, 120_000);
});

async function expectCase(one: Case, metric: Metric, sessionId: string): Promise<void> {
  const traces = one.traces as { trace_id: string; signals: object }[];
  for (let i = 0; i < traces.length; i += 1_000) {
    const batch = traces.slice(i, i + 1_000).map((trace) => ({ ...trace, session_id: sessionId }));
    const posted = await server.call('/v1/signals', { body: { traces: batch } });
    expect(posted.json, one.name).toEqual({ accepted: batch.length, unchanged: 0 });
  }
  const run = await server.call('/v1/session-runs', {
    body: { session_ids: [sessionId], metrics: [metric], signal_weights: one.signal_weights },
  });
  expect(run.status).toBe(202);
  expect((await finished(server, run.json.run_id)).state, one.name).toBe('completed');
  const scores = await server.call(`/v1/session-runs/${run.json.run_id}/scores?metadata=true`);
  const [score] = scores.json.items;
  const { aggregation = {}, ...metadata } = score.metadata;
  const { mean_top_k_risk, max_risk, rms_value } = aggregation;
  expectAgreement({ ...score, ...metadata, mean_top_k_risk, max_risk, rms_value }, one.expected);
  const read = await server.call(`/v1/sessions/${sessionId}/scores`);
  expect(read.json.scores).toEqual([score]);
}

describe('signals', () => {
  it('are replaced by later ones, and both stay in the history', async () => {
    const post = (signals: object) =>
      server.call('/v1/signals', {
        body: { traces: [{ session_id: 'later', trace_id: 't', agent_id: 'support', signals, tags: ['x'] }] },
      });
    await post({ confidence: 0.2, coherence: 0.5 });
    await post({ confidence: 0.9, loop_detection: null });
    expect((await post({ confidence: 0.9, loop_detection: null })).json).toEqual({
      accepted: 0,
      unchanged: 1,
    });
    const { json } = await server.call('/v1/sessions/later/traces');
    expect(json).toMatchObject({
      session_id: 'later',
      agent_id: 'support',
      tags: ['x'],
      revision: 2,
      traces: [{ trace_id: 't', signals: { confidence: 0.9, coherence: 0.5 } }],
    });
    const history = await server.call('/v1/sessions/later/signals');
    expect(history.json.items.map(({ signals }: { signals: object }) => signals)).toEqual([
      { confidence: 0.9 },
      { confidence: 0.2, coherence: 0.5 },
    ]);
    expect((await server.call('/v1/sessions/nobody/traces')).status).toBe(404);
  });

  const trace = { session_id: 'refused', trace_id: 't1', signals: { confidence: 0.5 } };
  it.each([
    [
      'a signal above 1',
      [trace, { ...trace, trace_id: 't2', signals: { coherence: 1.01 } }],
      'traces[1].signals.coherence',
    ],
    ['a signal below 0', [{ ...trace, signals: { confidence: -0.1 } }], 'traces[0].signals.confidence'],
    [
      'a signal that is no number',
      [{ ...trace, signals: { confidence: '1' } }],
      'traces[0].signals.confidence',
    ],
    ['an unknown signal', [{ ...trace, signals: { charm: 1 } }], 'traces[0].signals.charm'],
    ['one trace twice for a session', [trace, trace], 'traces[1].trace_id'],
    ['an empty session id', [{ ...trace, session_id: '' }], 'traces[0].session_id'],
    ['an unknown field', [{ ...trace, text: 'hello' }], 'traces[0].text'],
    ['no traces', [], 'traces'],
  ])('refuse %s by its path, and store nothing', async (_, traces, path) => {
    const { status, json } = await server.call('/v1/signals', { body: { traces } });
    expect(status).toBe(400);
    expect(json.details[0].path).toBe(path);
    expect((await server.call('/v1/sessions/refused/traces')).status).toBe(404);
  });

  it('take one trace id in two sessions', async () => {
    const traces = ['two-a', 'two-b'].map((session_id) => ({ session_id, trace_id: 't', signals: {} }));
    expect((await server.call('/v1/signals', { body: { traces } })).json.accepted).toBe(2);
  });
});

describe('a run', () => {
  it.each([
    ['neither ids nor filter', {}, 'session_ids'],
    ['ids and a filter', { session_ids: ['a'], filter: {} }, 'session_ids'],
    ['a weight above 100', { filter: {}, signal_weights: { confidence: 101 } }, 'signal_weights.confidence'],
    ['a weight below 0', { filter: {}, signal_weights: { coherence: -1 } }, 'signal_weights.coherence'],
    ['an unknown weight', { filter: {}, signal_weights: { charm: 1 } }, 'signal_weights.charm'],
    [
      'a threshold above 1',
      { filter: {}, thresholds: { agent_reliability: 1.5 } },
      'thresholds.agent_reliability',
    ],
    ['an unknown metric', { filter: {}, metrics: ['charm'] }, 'metrics[0]'],
    ['a rate of 0', { filter: {}, sampling: { rate: 0 } }, 'sampling.rate'],
    ['a time range that ends before it begins', { filter: { from: 2, to: 1 } }, 'filter.from'],
    ['an unknown filter', { filter: { mood: 'good' } }, 'filter.mood'],
  ])('with %s is refused by its path, and no run comes of it', async (_, body, path) => {
    const before = (await server.call('/v1/session-runs?limit=200')).json.items.length;
    const { status, json } = await server.call('/v1/session-runs', { body });
    expect(status).toBe(400);
    expect(json.details[0].path).toBe(path);
    expect((await server.call('/v1/session-runs?limit=200')).json.items).toHaveLength(before);
  });
});
