import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
