import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reputationOf } from '../../src/core/reputation.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('POST /v1/evaluate', () => {
  it('answers 200 with the verdict and where the agent stands, whether it passed or not', async () => {
    const good = await server.call('/v1/evaluate', { body: { agent_id: 'clerk', output: 'Done.' } });
    expect(good.status).toBe(200);
    expect(good.json).toMatchObject({
      evaluation_id: expect.any(String),
      passed: true,
      gates: expect.arrayContaining([
        { name: 'content', outcome: 'passed', passed: true, latency_ms: expect.any(Number) },
      ]),
      total_latency_ms: expect.any(Number),
      reputation: { lifecycle: 'calibrating', eval_count: 1, score: expect.any(Number) },
    });
    const bad = await server.call('/v1/evaluate', { body: { agent_id: 'clerk', output: '  ' } });
    expect(bad.status).toBe(200);
    expect(bad.json).toMatchObject({ passed: false, reputation: { eval_count: 2 } });
  });

  it('makes the score that core makes of what is stored', async () => {
    for (let i = 0; i < 12; i++) {
      const output = i % 4 === 3 ? '' : `answer ${i}`;
      await server.call('/v1/evaluate', { body: { agent_id: 'judged', output, latency_ms: 100 * i } });
    }
    const { json } = await server.call('/v1/events?agent_id=judged&limit=50');
    const stored = json.items.reverse().map((one: Record<string, number & boolean>) => ({
      passed: one.passed,
      latencyMs: one.total_latency_ms,
      agentLatencyMs: one.latency_ms,
    }));
    const expected = reputationOf(stored);
    const read = await server.call('/v1/reputation/judged');
    expect(read.json).toMatchObject({
      agent_id: 'judged',
      score: expected.score,
      evaluations: 12,
      passed: 9,
      avg_agent_latency_ms: 550,
      updated_at: json.items.at(-1).received_at,
    });
  });

  it('answers a known evaluation id with the stored verdict, and counts it once', async () => {
    const body = { agent_id: 'twice', output: 'fine', evaluation_id: 'mine-1' };
    const first = await server.call('/v1/evaluate', { body });
    const again = await server.call('/v1/evaluate', { body: { ...body, output: '' } });
    expect(again.json).toEqual(first.json);
    const racing = await Promise.all(
      Array.from({ length: 8 }, () =>
        server.call('/v1/evaluate', { body: { ...body, evaluation_id: 'mine-2' } }),
      ),
    );
    expect(new Set(racing.map(({ json }) => json.total_latency_ms)).size).toBe(1);
    expect((await server.call('/v1/reputation/twice')).json.lifetime_evaluations).toBe(2);
  });

  it('keeps nothing of the payload, in the ledger or in the log', async () => {
    const secret = 'the-merger-is-on-friday';
    const body = { agent_id: 'quiet', output: { text: secret }, input: secret, evaluation_id: 'quiet-1' };
    await server.call('/v1/evaluate', { body });
    const rows: string[] = [];
    for await (const row of server.context.store.upkeep.export()) rows.push(JSON.stringify(row));
    expect(rows.join('\n')).toContain('quiet-1');
    expect(rows.join('\n')).not.toContain(secret);
    expect(server.log.join('')).not.toContain(secret);
  });

  it.each(['total_latency_ms', 'gates', 'passed', 'source', 'known_as', 'timestamp', 'gate_latency_ms'])(
    'has no field %s: a caller cannot say how long gates took or what they found',
    async (field) => {
      const body = { agent_id: 'sly', output: 'x', [field]: 0 };
      const { status, json } = await server.call('/v1/evaluate', { body });
      expect(status).toBe(400);
      expect(json).toMatchObject({ code: 'invalid_request', details: [{ path: field }] });
      expect((await server.call('/v1/reputation/sly')).json.lifetime_evaluations).toBe(0);
    },
  );

  it('shows what the agent took apart from the score', async () => {
    const evaluate = (agent_id: string, latency_ms: number) =>
      server.call('/v1/evaluate', { body: { agent_id, output: 'x', latency_ms } });
    await evaluate('slow', 80_000_000);
    const { json } = await server.call('/v1/reputation/slow');
    expect(json.avg_agent_latency_ms).toBe(80_000_000);
    expect(json.avg_latency_ms).toBeLessThan(1_000);
  });
});
