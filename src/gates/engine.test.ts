import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../test/support/refusal.ts';
import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { createEngine } from './engine.ts';
import { doesCount } from './evaluation-result.ts';
import { filesystem } from './filesystem.ts';
import type { Gate, GateFinding } from './gate.ts';
import { injection } from './injection.ts';
import { pattern as openPattern } from './pattern.ts';
import { pii } from './pii.ts';
import { secrets } from './secrets.ts';

const passing = gate('passing', () => ({ passed: true }));
const failing = gate('failing', () => ({ passed: false, reason: 'It is wrong.' }));
const skipping = gate('skipping', () => ({ passed: true, skipped: true }));
const throwing = gate('throwing', () => {
  throw new TypeError('the payload was: secret');
});
const hanging = gate('hanging', () => new Promise<never>(() => undefined));
const slowly = gate('slowly', async () => ({ passed: true }));

describe('an engine', () => {
  it('answers with one result for each gate, in their order', async () => {
    const result = await createEngine({
      gates: [passing, slowly, skipping],
      surroundings: { now: () => 42, elapsed: () => 7, newId: () => 'e1' },
    }).evaluate({ agent_id: 'a', output: 'x', tool: 't' });
    expect(result).toEqual({
      evaluation_id: 'e1',
      agent_id: 'a',
      tool: 't',
      passed: true,
      gates: [
        { name: 'passing', outcome: 'passed', passed: true, latency_ms: 0 },
        { name: 'slowly', outcome: 'passed', passed: true, latency_ms: 0 },
        { name: 'skipping', outcome: 'skipped', passed: true, latency_ms: 0 },
      ],
      total_latency_ms: 0,
      timestamp: 42,
    });
  });

  it.each([
    ['text', (harm: string) => `${'a'.repeat(CLIENT_LIMITS.gateTextLengthMax)} ${harm}`],
    [
      'a field before it',
      (harm: string) => ({ pad: 'a'.repeat(CLIENT_LIMITS.gateTextLengthMax), command: harm }),
    ],
    ['fields before it', (harm: string) => [...Array(CLIENT_LIMITS.gateNodesMax).fill(1), harm]],
    ['bytes', (harm: string) => Buffer.from(`${'a'.repeat(CLIENT_LIMITS.gateTextLengthMax)} ${harm}`)],
    ['depth', (harm: string) => Array.from({ length: 70 }).reduce((inner) => [inner], harm)],
  ])('lets nobody past by more %s than a gate reads: it blocks, and does not count', async (_, pad) => {
    const pattern = await openPattern({ deny: ['rm -rf'] });
    const gates = [secrets(), filesystem(), pii(), injection(), pattern];
    for (const harm of ['rm -rf /', 'nothing']) {
      const result = await createEngine({ gates, timeoutMs: 10_000 }).evaluate({
        agent_id: 'a',
        output: pad(harm),
      });
      expect(result.gates.map(({ outcome }) => outcome)).toEqual(gates.map(() => 'error'));
      expect([result.passed, doesCount(result.gates)]).toEqual([false, false]);
      expect(result.gates[0]?.reason).toContain('longer or deeper than a gate reads');
    }
  });

  it('says what it found before a text was cut off', async () => {
    const output = `rm -rf / ${'a'.repeat(CLIENT_LIMITS.gateTextLengthMax)}`;
    const result = await createEngine({ gates: [filesystem()] }).evaluate({ agent_id: 'a', output });
    expect([result.gates[0]?.outcome, doesCount(result.gates)]).toEqual(['failed', true]);
  });

  it('keeps the evaluation id it is given', async () => {
    const { evaluation_id } = await createEngine({ gates: [passing] }).evaluate({
      agent_id: 'a',
      output: 1,
      evaluation_id: 'mine',
    });
    expect(evaluation_id).toBe('mine');
  });

  it('stops at the first failure, also what is under way', async () => {
    expect(await outcomes([hanging, failing, passing])).toEqual({
      hanging: 'aborted',
      failing: 'failed',
      passing: 'aborted',
    });
  });

  it('runs everything without fail-fast', async () => {
    const engine = createEngine({ gates: [failing, passing], failFast: false });
    const { gates, passed } = await engine.evaluate({ agent_id: 'a', output: 1 });
    expect(gates.map(({ outcome }) => outcome)).toEqual(['failed', 'passed']);
    expect(passed).toBe(false);
  });

  it('tells gates that nobody waits any longer', async () => {
    let told = false;
    const listening = gate('listening', (_, signal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return new Promise<never>(() => undefined);
    });
    await createEngine({ gates: [listening, failing] }).evaluate({ agent_id: 'a', output: 1 });
    expect(told).toBe(true);
  });

  it('blocks when a gate throws, rejects, hangs or answers nonsense, and goes on to the next gate', async () => {
    const rejecting = gate('rejecting', () => Promise.reject(new Error('no')));
    const nonsense = gate('nonsense', () => 'fine' as unknown as GateFinding);
    expect(await outcomes([throwing, rejecting, hanging, nonsense, passing])).toEqual({
      throwing: 'error',
      rejecting: 'error',
      hanging: 'timeout',
      nonsense: 'error',
      passing: 'passed',
    });
    const { passed, gates } = await createEngine({ gates: [throwing] }).evaluate({
      agent_id: 'a',
      output: 1,
    });
    expect(passed).toBe(false);
    expect(gates[0]?.reason).toBe('The gate threw TypeError.');
  });

  it('does not let a slow gate hide a failure', async () => {
    expect(await outcomes([throwing, failing])).toEqual({ throwing: 'error', failing: 'failed' });
  });

  it('records the overrun of a synchronous gate as a timeout', async () => {
    let time = 0;
    const overrunning = gate('overrunning', () => {
      time += 51;
      return { passed: true };
    });
    const engine = createEngine({
      gates: [overrunning],
      surroundings: { now: () => 0, elapsed: () => time, newId: () => 'e' },
    });
    const { gates, passed } = await engine.evaluate({ agent_id: 'a', output: 1 });
    expect(gates[0]?.outcome).toBe('timeout');
    expect(passed).toBe(false);
  });

  it('gives gates time for the text they walk', async () => {
    let time = 0;
    const { run } = secrets();
    const walking = gate('walking', (context, signal) => {
      time += 150;
      return run(context, signal);
    });
    const engine = createEngine({
      gates: [walking],
      surroundings: { now: () => 0, elapsed: () => time, newId: () => 'e' },
    });
    const judged = async (output: string) =>
      (await engine.evaluate({ agent_id: 'a', output })).gates[0]?.outcome;
    expect(await judged('x '.repeat(100))).toBe('timeout');
    expect(await judged('x '.repeat(100_000))).toBe('passed');
  });

  it('does not charge a gate that answers later for the time of those that block', async () => {
    let time = 0;
    const blocking = gate('blocking', () => {
      time += 40;
      return { passed: true };
    });
    const engine = createEngine({
      gates: [slowly, blocking, { ...blocking, name: 'blocking too' }],
      surroundings: { now: () => 0, elapsed: () => time, newId: () => 'e' },
    });
    const { gates } = await engine.evaluate({ agent_id: 'a', output: 1 });
    expect(gates.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed']);
  });

  it('blocks an output that throws when it is read', async () => {
    const reading = gate('reading', ({ output }) => ({ passed: output !== 1 }));
    const context = {
      agent_id: 'a',
      get output(): unknown {
        throw new Error('no');
      },
    };
    const { passed, gates } = await createEngine({ gates: [passing, reading] }).evaluate(context);
    expect(passed).toBe(false);
    expect(gates.map(({ outcome }) => outcome)).toEqual(['passed', 'error']);
  });

  it('refuses gates that it could not tell apart, and agents that are none', async () => {
    expectRefusal(() => createEngine({ gates: [passing, passing] }), 'gates[1].name');
    expectRefusal(() => createEngine({ gates: [] }), 'gates.length');
    expectRefusal(() => createEngine({ gates: [{ name: 'x' } as Gate] }), 'gates[0].run');
    expectRefusal(() => createEngine({ gates: [passing], timeoutMs: -1 }), 'timeoutMs');
    await expect(createEngine({ gates: [passing] }).evaluate({ agent_id: '', output: 1 })).rejects.toThrow(
      'agent_id',
    );
  });

  it('cuts long reasons', async () => {
    const wordy = gate('wordy', () => ({ passed: false, reason: 'x'.repeat(10_000) }));
    const { gates } = await createEngine({ gates: [wordy] }).evaluate({ agent_id: 'a', output: 1 });
    expect(gates[0]?.reason).toHaveLength(300);
  });
});

describe('an evaluation counts', () => {
  it.each([
    [['passed'], true],
    [['failed'], true],
    [['failed', 'timeout', 'error'], true],
    [['passed', 'skipped'], true],
    [['passed', 'timeout'], false],
    [['error'], false],
    [['skipped', 'skipped'], false],
    [['failed', 'aborted'], true],
  ] as const)('%j: %s', (outcomes, expected) => {
    expect(doesCount(outcomes.map((outcome) => ({ outcome })))).toBe(expected);
  });
});

async function outcomes(gates: Gate[]): Promise<Record<string, string>> {
  const result = await createEngine({ gates }).evaluate({ agent_id: 'a', output: 1 });
  return Object.fromEntries(result.gates.map(({ name, outcome }) => [name, outcome]));
}

function gate(name: string, run: Gate['run']): Gate {
  return { name, run };
}
