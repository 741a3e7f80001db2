import { describe, expect, it } from 'vitest';
import { DEFAULT_SUITE, hashSuite, openSuite, type Suite } from './suite.ts';

describe('a suite', () => {
  it('opens as an engine with its gates in order, and says which suite judged', async () => {
    const engine = await openSuite(DEFAULT_SUITE);
    expect(engine.gateNames).toEqual(['filesystem', 'pii', 'secrets', 'content', 'injection']);
    const result = await engine.evaluate({ agent_id: 'a', output: 'rm -rf /' });
    expect(result).toMatchObject({ passed: false, suite_hash: engine.suiteHash });
  });

  it('passes options on to its gates', async () => {
    const engine = await openSuite({
      fail_fast: false,
      timeout_ms: 1000,
      gates: [
        { pii: { phone: false, allow: ['@acme.com'] } },
        { content: { refusals: true } },
        { latency: { max_ms: 10 } },
        { pattern: { deny: ['x+y'], name: 'no-xy' } },
        { schema: { schema: { type: 'string' }, target: 'output' } },
      ],
    });
    const { gates } = await engine.evaluate({
      agent_id: 'a',
      output: "Call +14155552671 or ann@acme.com. I can't help with that. xxy",
      latency_ms: 11,
    });
    expect(gates.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'pii passed',
      'content failed',
      'latency failed',
      'no-xy failed',
      'schema passed',
    ]);
  });

  it('has one hash however it is written, and another for other gates, options or order', () => {
    const hash = hashSuite({ gates: ['filesystem', { pii: { phone: false, email: true } }] });
    expect(hash).toMatch(/^[0-9a-f]{40}$/);
    expect(
      hashSuite({ timeout_ms: 50, gates: [{ filesystem: {} }, { pii: { email: true, phone: false } }] }),
    ).toBe(hash);
    expect(hashSuite({ gates: ['filesystem', 'pii'] })).not.toBe(hash);
    expect(hashSuite({ gates: [{ pii: { phone: false, email: true } }, 'filesystem'] })).not.toBe(hash);
    expect(hashSuite({ fail_fast: false, gates: ['pii'] })).not.toBe(hashSuite({ gates: ['pii'] }));
  });

  it.each([
    [null, ''],
    [{ gates: [] }, 'gates'],
    [{ gates: ['nothing'] }, 'gates[0]'],
    [{ gates: ['pii', 'pii'] }, 'gates[1]'],
    [{ gates: [{ pii: {}, content: {} }] }, 'gates[0]'],
    [{ gates: [{ pii: { fax: true } }] }, 'gates[0].pii.fax'],
    [{ gates: [{ pii: { phone: 'no' } }] }, 'gates[0].pii.phone'],
    [{ gates: [{ pii: ['phone'] }] }, 'gates[0].pii'],
    [{ gates: [{ latency: {} }] }, 'gates[0].latency.max_ms'],
    [{ gates: [{ latency: { max_ms: -1 } }] }, 'gates[0].latency.max_ms'],
    [{ gates: [{ pattern: { deny: ['(?=a)'] } }] }, 'gates[0].pattern.deny[0]'],
    [{ gates: [{ schema: { schema: { type: 'text' } } }] }, 'gates[0].schema.schema.type'],
    [{ gates: [{ schema: { schema: {}, target: 'tool' } }] }, 'gates[0].schema.target'],
    [{ gates: [{ pattern: { deny: ['x'], name: 'injection' } }] }, 'gates[0].pattern.name'],
    [{ gates: [{ schema: { schema: {}, name: 'pattern' } }] }, 'gates[0].schema.name'],
    [{ gates: ['pii'], timeout_ms: -1 }, 'timeout_ms'],
    [{ gates: ['pii'], fail_fast: 1 }, 'fail_fast'],
    [{ gates: ['pii'], gate: 1 }, 'gate'],
    [{ gates: [{ toString: {} }] }, 'gates[0]'],
  ])('%j is refused with its path', async (suite, path) => {
    await expect(openSuite(suite as Suite)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path }],
    });
  });
});
