import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SUITE, hashSuite } from '../../src/gates/suite.ts';
import { keysOf, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const SUITE = {
  fail_fast: false,
  gates: ['content', { pattern: { name: 'codename', deny: ['Project Heron'] } }],
};

async function judged(agentId: string, output: string) {
  const { json } = await server.call('/v1/evaluate', { body: { agent_id: agentId, output } });
  const stored = await server.call(`/v1/events/${json.evaluation_id}`);
  return {
    passed: json.passed,
    gates: json.gates.map(({ name }: { name: string }) => name),
    hash: stored.json.suite_hash,
  };
}

const put = (body: unknown, key = server.sk) => server.call('/v1/gates', { method: 'PUT', key, body });

describe('/v1/gates', () => {
  it('is the default suite until the org chooses', async () => {
    const { json } = await server.call('/v1/gates');
    expect(json).toEqual({
      suite_hash: hashSuite(DEFAULT_SUITE),
      suite: DEFAULT_SUITE,
      is_default: true,
      set_at: null,
    });
    expect(await judged('first', 'Project Heron')).toMatchObject({ passed: true, hash: json.suite_hash });
  });

  it('judges by the chosen suite from the answer on, and stores its hash with each evaluation', async () => {
    const { status, json } = await put(SUITE);
    expect(status).toBe(200);
    expect(json).toMatchObject({ suite_hash: hashSuite(SUITE), suite: SUITE, is_default: false });
    expect(await judged('second', 'About Project Heron')).toEqual({
      passed: false,
      gates: ['content', 'codename'],
      hash: hashSuite(SUITE),
    });
    expect(await judged('second', 'About a heron')).toMatchObject({ passed: true, hash: hashSuite(SUITE) });
  });

  it('keeps every suite the org had, and goes back to the default when asked', async () => {
    await put(SUITE);
    const reset = await server.call('/v1/gates', { method: 'DELETE', key: server.sk });
    expect(reset.json).toMatchObject({ suite_hash: hashSuite(DEFAULT_SUITE), is_default: true });
    expect(await judged('third', 'Project Heron')).toMatchObject({ passed: true });
    const former = await server.call(`/v1/gates/${hashSuite(SUITE)}`);
    expect(former.json).toEqual({ suite_hash: hashSuite(SUITE), suite: SUITE });
    expect((await server.call(`/v1/gates/${hashSuite(DEFAULT_SUITE)}`)).status).toBe(200);
    expect((await server.call('/v1/gates/ffff')).json.code).toBe('not_found');
    const { json } = await server.call('/v1/audit', { key: server.sk });
    expect(json.items[0]).toMatchObject({
      action: 'gates.change',
      note: expect.stringContaining(hashSuite(SUITE)),
    });
  });

  it.each([
    [{}, 'gates'],
    [{ gates: [] }, 'gates'],
    [{ gates: ['content'], surprise: 1 }, 'surprise'],
    [{ gates: ['nonsense'] }, 'gates[0]'],
    [{ gates: [{ latency: {} }] }, 'gates[0].latency.max_ms'],
    [{ gates: [{ pattern: { deny: ['(?=a)b'] } }] }, 'gates[0].pattern.deny[0]'],
    [{ gates: Array.from({ length: 51 }, (_, i) => ({ pattern: { name: `p${i}`, deny: ['x'] } })) }, 'gates'],
  ])('refuses %j and names the place, and goes on judging as before', async (suite, path) => {
    const before = (await server.call('/v1/gates')).json;
    const { status, json } = await put(suite);
    expect(status).toBe(400);
    expect(json.details.map((issue: { path: string }) => issue.path)).toContain(path);
    expect((await server.call('/v1/gates')).json).toEqual(before);
  });

  it('refuses a suite that is too large, a pk key, and is the business of one org alone', async () => {
    const large = { gates: [{ pattern: { deny: ['x'.repeat(300_000)] } }] };
    expect((await put(large)).json.code).toBe('payload_too_large');
    expect((await put(SUITE, server.pk)).status).toBe(403);
    const [otherPk] = await keysOf(server, 'elsewhere');
    await put(SUITE);
    expect((await server.call('/v1/gates', { key: otherPk })).json.is_default).toBe(true);
    expect((await server.call(`/v1/gates/${hashSuite(SUITE)}`, { key: otherPk })).status).toBe(404);
  });

  it('lets one of two changes at once through, or both in turn, and never a mixture', async () => {
    const suites = Array.from({ length: 4 }, (_, i) => ({
      gates: ['content', { latency: { max_ms: 100 + i } }],
    }));
    const answers = await Promise.all(suites.map((suite) => put(suite)));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { json } = await server.call('/v1/gates');
    expect(suites.map(hashSuite)).toContain(json.suite_hash);
    expect(hashSuite(json.suite)).toBe(json.suite_hash);
  });
});
