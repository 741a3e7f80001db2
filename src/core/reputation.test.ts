import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../test/support/refusal.ts';
import { type Evaluation, KINDS, type Reputation, reputationOf } from './reputation.ts';
import { explainReputation } from './reputation-explain.ts';
import { ReputationWindow } from './reputation-window.ts';
import { fromWindowBytes, toWindowBytes } from './reputation-window-bytes.ts';

/** Latencies from the plausible to the absurd, among them those that ruin a naive running total. */
const latencyMs = fc.oneof(
  fc.double({ min: 0, max: 200, noNaN: true }),
  fc.double({ min: 0, max: 86_400_000, noNaN: true }),
  fc.constantFrom(0, 0.1, 100, 86_400_000, 5e-324),
);
const evaluation: fc.Arbitrary<Evaluation> = fc.record(
  {
    passed: fc.boolean(),
    latencyMs,
    agentLatencyMs: latencyMs,
    knownAs: fc.constantFrom(...KINDS),
    sampleRate: fc.oneof(fc.constant(1), fc.double({ min: 1e-6, max: 1, noNaN: true })),
  },
  { requiredKeys: ['passed', 'latencyMs'] },
);
/** Long enough to fill the window and to evict from it. */
const history = fc.oneof(
  fc.array(evaluation, { maxLength: 60 }),
  fc.array(evaluation, { minLength: 480, maxLength: 1_100, size: 'max' }),
);

function passes(count: number, latency = 0): Evaluation[] {
  return Array.from({ length: count }, () => ({ passed: true, latencyMs: latency }));
}

describe('a reputation', () => {
  it('is 0 and `new` for an agent nobody has evaluated, with zeros for every figure', () => {
    expect(reputationOf([])).toEqual({
      score: 0,
      lifecycle: 'new',
      evalCount: 0,
      passed: 0,
      passRate: 0,
      avgLatencyMs: 0,
      avgAgentLatencyMs: 0,
      streak: 0,
      lifetimeEvaluations: 0,
      components: { passRate: 0, latency: 0, streak: 0, volume: 0 },
      evidence: { server: 0, signed: 0, reported: 0 },
      sampledFrom: 0,
      sampledFromSquares: 0,
    });
    // Each is its own: nobody can change what the next one gets.
    expect(reputationOf([]).components).not.toBe(reputationOf([]).components);
  });

  it.each([
    [1, 'calibrating'],
    [49, 'calibrating'],
    [50, 'active'],
    [499, 'active'],
    [500, 'mature'],
    [501, 'mature'],
  ])('after %i evaluations is %s', (count, lifecycle) => {
    expect(reputationOf(passes(count)).lifecycle).toBe(lifecycle);
  });

  it('shows how long the agent took and does not score it', () => {
    const slow = reputationOf([{ passed: true, latencyMs: 0, agentLatencyMs: 60_000 }]);
    expect(slow.avgAgentLatencyMs).toBe(60_000);
    expect(slow.score).toBe(reputationOf(passes(1)).score);
    expect(reputationOf(passes(1)).avgAgentLatencyMs).toBeNull();
  });

  it('stays a whole number from 0 to 1000, and no figure is ever NaN or infinite', () => {
    fc.assert(
      fc.property(history, (evaluations) => {
        const {
          components,
          evidence,
          lifecycle: _,
          avgAgentLatencyMs,
          ...figures
        } = reputationOf(evaluations);
        expect(Number.isInteger(figures.score)).toBe(true);
        expect(figures.score).toBeGreaterThanOrEqual(0);
        expect(figures.score).toBeLessThanOrEqual(1000);
        const all = [
          ...Object.values(figures),
          ...Object.values(components),
          ...Object.values(evidence),
          avgAgentLatencyMs ?? 0,
        ];
        expect(all.every((figure) => Number.isFinite(figure) && figure >= 0)).toBe(true);
      }),
    );
  });

  it('never loses a pass to a further pass', () => {
    fc.assert(
      fc.property(history, latencyMs, (evaluations, latency) => {
        const after = reputationOf([...evaluations, { passed: true, latencyMs: latency }]);
        expect(after.passed).toBeGreaterThanOrEqual(reputationOf(evaluations).passed);
        expect(after.streak).toBeGreaterThanOrEqual(reputationOf(evaluations).streak);
      }),
    );
  });

  it.each([
    [{ passed: true, latencyMs: -1 }, 'evaluations[1].latency_ms'],
    [{ passed: true, latencyMs: 86_400_001 }, 'evaluations[1].latency_ms'],
    [{ passed: true, latencyMs: Number.NaN }, 'evaluations[1].latency_ms'],
    [{ passed: true, latencyMs: Number.POSITIVE_INFINITY }, 'evaluations[1].latency_ms'],
    [{ passed: true, latencyMs: '3' as never }, 'evaluations[1].latency_ms'],
    [{ passed: 1 as never, latencyMs: 3 }, 'evaluations[1].passed'],
    [{ passed: true, latencyMs: 3, agentLatencyMs: -0.1 }, 'evaluations[1].agent_latency_ms'],
    [{ passed: true, latencyMs: 3, knownAs: 'guessed' as never }, 'evaluations[1].known_as'],
    [{ passed: true, latencyMs: 3, sampleRate: 0 }, 'evaluations[1].sample_rate'],
    [{ passed: true, latencyMs: 3, sampleRate: 1.5 }, 'evaluations[1].sample_rate'],
  ])('refuses %j with its path', (bad, path) => {
    expectRefusal(() => reputationOf([...passes(1), bad]), path);
  });
});

describe('the window', () => {
  it('gives the same as the list of all that was pushed, after every push', () => {
    fc.assert(
      fc.property(history, (evaluations) => {
        const window = new ReputationWindow();
        evaluations.forEach(({ passed, latencyMs, agentLatencyMs, knownAs, sampleRate }, i) => {
          window.push(passed, latencyMs, agentLatencyMs, knownAs, sampleRate);
          // Comparing all of a thousand pushes with a list of a thousand would take the afternoon.
          if (i % 97 === 0) expectSame(window.reputation(), reputationOf(evaluations.slice(0, i + 1)));
        });
        expectSame(window.reputation(), reputationOf(evaluations));
      }),
      { numRuns: 60, interruptAfterTimeLimit: 20_000 },
    );
  });

  it('has not drifted after a million pushes of every magnitude', () => {
    const window = new ReputationWindow();
    let last: Evaluation[] = [];
    for (let i = 0; i < 1_000_000; i++) {
      const one = {
        passed: i % 7 !== 0,
        latencyMs: i % 1000 === 0 ? 86_399_999.999 : ((i * 7919) % 1009) / 97,
      };
      window.push(one.passed, one.latencyMs);
      if (i >= 999_500) last.push(one);
    }
    const { lifetimeEvaluations, ...figures } = window.reputation();
    expect(lifetimeEvaluations).toBe(1_000_000);
    expect(figures).toEqual({ ...omitLifetime(reputationOf(last)), lifecycle: 'mature' });
    last = passes(500, 0.1);
    for (const one of last) window.push(one.passed, one.latencyMs);
    expect(window.reputation().avgLatencyMs).toBe(reputationOf(last).avgLatencyMs);
  });

  it('refuses a push out of range and stays as it was', () => {
    const window = ReputationWindow.from(passes(3, 5));
    const before = window.reputation();
    expectRefusal(() => window.push(true, -1), 'evaluation.latency_ms');
    expectRefusal(() => window.push('yes' as never, 1), 'evaluation.passed');
    expectRefusal(() => window.push(true, 1, Number.NaN), 'evaluation.agent_latency_ms');
    expectRefusal(() => window.push(true, 1, 1, 'guessed' as never), 'evaluation.known_as');
    expectRefusal(() => window.push(true, 1, 1, 'server', 2), 'evaluation.sample_rate');
    expect(window.reputation()).toEqual(before);
  });

  it('counts how its evaluations are known, and forgets those that leave it', () => {
    const window = ReputationWindow.from([
      ...passes(300).map((one) => ({ ...one, knownAs: 'server' as const })),
      ...passes(150).map((one) => ({ ...one, knownAs: 'signed' as const, sampleRate: 0.5 })),
      ...passes(50),
    ]);
    expect(window.reputation()).toMatchObject({
      evidence: { server: 300, signed: 150, reported: 50 },
      sampledFrom: 650,
      sampledFromSquares: 950,
    });
    for (const one of passes(450)) window.push(one.passed, one.latencyMs);
    expect(window.reputation()).toMatchObject({
      evidence: { server: 0, signed: 0, reported: 500 },
      sampledFrom: 500,
      sampledFromSquares: 500,
    });
  });

  it('comes back from its compact form, and goes on as if nothing had happened', () => {
    fc.assert(
      fc.property(history, evaluation, (evaluations, next) => {
        const window = ReputationWindow.from(evaluations);
        const restored = fromWindowBytes(toWindowBytes(window));
        expect([...restored.evaluations()]).toEqual([...window.evaluations()]);
        const { passed, latencyMs, agentLatencyMs, knownAs, sampleRate } = next;
        window.push(passed, latencyMs, agentLatencyMs, knownAs, sampleRate);
        restored.push(passed, latencyMs, agentLatencyMs, knownAs, sampleRate);
        expect(restored.reputation()).toEqual(window.reputation());
      }),
      { numRuns: 40 },
    );
  });

  it('reads the form that had neither kinds nor sample rates, and takes its evaluations as reported', () => {
    const [count, lifetime] = [3, 700];
    const bytes = new Uint8Array(12 + 1 + count * 8);
    const view = new DataView(bytes.buffer);
    view.setUint8(0, 1);
    view.setUint16(2, count, true);
    view.setFloat64(4, lifetime, true);
    view.setUint8(12, 0b101);
    expect(fromWindowBytes(bytes).reputation()).toMatchObject({
      passed: 2,
      lifetimeEvaluations: 700,
      evidence: { server: 0, signed: 0, reported: 3 },
    });
  });

  it('takes 4,200 bytes when full, and 8,200 with the agent latencies', () => {
    expect(toWindowBytes(ReputationWindow.from(passes(700)))).toHaveLength(4_200);
    const withAgent = passes(500).map((one) => ({ ...one, agentLatencyMs: 9 }));
    expect(toWindowBytes(ReputationWindow.from(withAgent))).toHaveLength(8_200);
  });

  it('refuses bytes that are damaged, cut or of another version, and never crashes on any', () => {
    const bytes = toWindowBytes(ReputationWindow.from(passes(20, 3)));
    const damaged = (at: number, value: number) =>
      Uint8Array.from(bytes, (byte, i) => (i === at ? value : byte));
    for (const bad of [
      bytes.subarray(0, 5),
      bytes.subarray(0, -1),
      damaged(0, 9),
      damaged(2, 21),
      damaged(1, 1),
      damaged(1, 2),
      damaged(1, 4),
    ]) {
      expect(() => fromWindowBytes(bad)).toThrow(expect.objectContaining({ code: 'corrupt_data' }));
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (noise, versioned) => {
        if (versioned) noise[0] = 1;
        try {
          fromWindowBytes(noise);
        } catch (error) {
          expect(error).toMatchObject({ code: 'corrupt_data' });
        }
      }),
    );
  });
});

describe('an explanation', () => {
  it('has components that add up to the score with the rounding', () => {
    fc.assert(
      fc.property(history, (evaluations) => {
        const { score, components, rounding } = explainReputation(ReputationWindow.from(evaluations));
        const { passRate, latency, streak, volume } = components;
        expect(passRate + latency + streak + volume + rounding).toBeCloseTo(score, 9);
        expect(rounding).toBeGreaterThan(-1);
        expect(rounding).toBeLessThanOrEqual(1e-9);
      }),
      { numRuns: 50 },
    );
  });

  it('foresees exactly what the next pass and the next failure bring, evictions included', () => {
    fc.assert(
      fc.property(history, (evaluations) => {
        const { nextPass, nextFailure, score } = explainReputation(ReputationWindow.from(evaluations));
        const { avgLatencyMs } = reputationOf(evaluations);
        const scoreAfter = (passed: boolean) =>
          reputationOf([...evaluations, { passed, latencyMs: avgLatencyMs }]).score;
        expect(nextPass).toEqual({ score: scoreAfter(true), change: scoreAfter(true) - score });
        expect(nextFailure).toEqual({ score: scoreAfter(false), change: scoreAfter(false) - score });
      }),
      { numRuns: 40 },
    );
  });

  it('counts the passes to a full streak', () => {
    const window = ReputationWindow.from([...passes(40), { passed: false, latencyMs: 0 }, ...passes(20)]);
    expect(explainReputation(window).fullStreak).toEqual({
      passes: 30,
      score: reputationOf([...passes(40), { passed: false, latencyMs: 0 }, ...passes(50)]).score,
      change: 131,
    });
    expect(explainReputation(ReputationWindow.from(passes(60))).fullStreak).toMatchObject({
      passes: 0,
      change: 0,
    });
  });

  it('leaves the window it explains alone', () => {
    const window = ReputationWindow.from(passes(7, 2));
    const before = toWindowBytes(window);
    explainReputation(window);
    expect(toWindowBytes(window)).toEqual(before);
  });
});

/** Everything the same, the averages to 1e-9. */
function expectSame(actual: Reputation, expected: Reputation): void {
  const averages = {
    avgLatencyMs: 0,
    avgAgentLatencyMs: 0,
    components: 0,
    sampledFrom: 0,
    sampledFromSquares: 0,
  };
  expect({ ...actual, ...averages }).toEqual({ ...expected, ...averages });
  expect(actual.sampledFrom / (expected.sampledFrom || 1)).toBeCloseTo(expected.sampledFrom === 0 ? 0 : 1, 9);
  const squares = expected.sampledFromSquares;
  expect(actual.sampledFromSquares / (squares || 1)).toBeCloseTo(squares === 0 ? 0 : 1, 9);
  expect(actual.avgLatencyMs).toBeCloseTo(expected.avgLatencyMs, 9);
  expect(actual.avgAgentLatencyMs ?? -1).toBeCloseTo(expected.avgAgentLatencyMs ?? -1, 9);
  expect(actual.components.latency).toBeCloseTo(expected.components.latency, 9);
}

function omitLifetime<T extends { lifetimeEvaluations: number }>({ lifetimeEvaluations: _, ...rest }: T) {
  return rest;
}
