import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../test/support/refusal.ts';
import { scoreConsistency } from './consistency.ts';
import { toReliabilityMetadata } from './contract/session-metrics.ts';
import { quadrantOf } from './quadrant.ts';
import { scoreReliability } from './reliability.ts';
import { SIGNALS, type SignalWeights, type Trace, toSessionSignals } from './signals.ts';

const signal = fc.double({ min: 0, max: 1, noNaN: true });
const signals = fc.record(
  { confidence: signal, loop_detection: signal, tool_correctness: signal, coherence: signal },
  { requiredKeys: [] },
);
const session = fc
  .array(signals, { maxLength: 60 })
  .map((rows) => rows.map((row, i): Trace => ({ traceId: `t${i}`, signals: row })));
const weight = fc.double({ min: 0, max: 100, noNaN: true });
const weights = fc.record(
  { confidence: weight, loop_detection: weight, tool_correctness: weight, coherence: weight },
  { requiredKeys: [] },
);

type Overrides = Partial<SignalWeights> | null;
const reliabilityOf = (traces: Trace[], overrides: Overrides = null, threshold?: number) =>
  scoreReliability(toSessionSignals(traces), { weights: overrides, threshold });
const consistencyOf = (traces: Trace[], overrides: Overrides = null, threshold?: number) =>
  scoreConsistency(toSessionSignals(traces), { weights: overrides, threshold });
const METRICS = [
  ['agent_reliability', reliabilityOf],
  ['agent_consistency', consistencyOf],
] as const;

function trace(traceId: string, values: Trace['signals']): Trace {
  return { traceId, signals: values };
}

describe.each(METRICS)('%s', (_, scoreOf) => {
  it('is a number from 0 to 1 for whatever is accepted', () => {
    fc.assert(
      fc.property(session, weights, (traces, overrides) => {
        const { score, coverage } = scoreOf(traces, overrides);
        expect(score >= 0 && score <= 1).toBe(true);
        expect(coverage >= 0 && coverage <= 1).toBe(true);
      }),
    );
  });

  it('does not depend on the order of the traces', () => {
    const shuffled = session.chain((traces) =>
      fc.tuple(fc.constant(traces), fc.shuffledSubarray(traces, { minLength: traces.length })),
    );
    fc.assert(
      fc.property(shuffled, weights, ([traces, permuted], overrides) => {
        expect(scoreOf(permuted, overrides).score).toBeCloseTo(scoreOf(traces, overrides).score, 12);
      }),
    );
  });

  it('never falls when a signal rises', () => {
    const raised = fc.tuple(session, fc.nat(), fc.constantFrom(...SIGNALS), signal);
    fc.assert(
      fc.property(raised, weights, ([traces, at, name, share], overrides) => {
        const chosen = traces[at % Math.max(1, traces.length)];
        const value = chosen?.signals[name];
        fc.pre(chosen !== undefined && typeof value === 'number');
        const better = { ...chosen, signals: { ...chosen.signals, [name]: value + (1 - value) * share } };
        const improved = traces.map((one) => (one === chosen ? better : one));
        expect(scoreOf(improved, overrides).score).toBeGreaterThanOrEqual(
          scoreOf(traces, overrides).score - 1e-15,
        );
      }),
      { numRuns: 400 },
    );
  });

  it('treats null as absent', () => {
    const withNulls = [trace('a', { confidence: 0.4, coherence: null }), trace('b', { confidence: null })];
    const without = [trace('a', { confidence: 0.4 }), trace('b', {})];
    expect(scoreOf(withNulls)).toEqual(scoreOf(without));
  });

  it('says that nothing was seen instead of passing it', () => {
    for (const nothing of [[], [trace('a', {}), trace('b', {})]]) {
      expect(scoreOf(nothing)).toMatchObject({
        score: 1,
        passed: null,
        band: null,
        evidence: 'none',
        coverage: 0,
        reason: 'No traces or signals to evaluate.',
      });
    }
  });

  it('passes at exactly the threshold, which is 0.5 unless told otherwise', () => {
    const half = [trace('a', { confidence: 0.5 })];
    expect(scoreOf(half)).toMatchObject({ score: 0.5, threshold: 0.5, passed: true });
    expect(scoreOf(half, null, 0.51)).toMatchObject({ threshold: 0.51, passed: false });
    expectRefusal(() => scoreOf(half, null, 1.1), 'threshold');
  });

  it('counts what it saw', () => {
    const result = scoreOf([
      trace('a', { confidence: 1, coherence: 0.5 }),
      trace('b', {}),
      trace('c', { confidence: 1 }),
    ]);
    expect(result).toMatchObject({
      totalTraces: 3,
      tracesEvaluated: 2,
      coverage: 2 / 3,
      evidence: 'partial',
      signalCounts: { confidence: 2, loop_detection: 0, tool_correctness: 0, coherence: 1 },
    });
    const all = { confidence: 1, loop_detection: 1, tool_correctness: 1, coherence: 1 };
    expect(scoreOf([trace('a', all)]).evidence).toBe('full');
    expect(scoreOf([trace('a', all), trace('b', { confidence: 1 })]).evidence).toBe('partial');
  });
});

describe('the bands', () => {
  it.each([
    [1, 'highly reliable', 'highly consistent'],
    [0.9, 'highly reliable', 'highly consistent'],
    [0.89, 'generally reliable', 'generally consistent'],
    [0.7, 'generally reliable', 'generally consistent'],
    [0.69, 'moderate risk', 'moderate instability'],
    [0.5, 'moderate risk', 'moderate instability'],
    [0.49, 'elevated risk', 'high instability'],
    [0.3, 'elevated risk', 'high instability'],
    [0.29, 'high risk', 'unstable'],
    [0, 'high risk', 'unstable'],
  ])('of a lone confidence of %d are %s and %s', (confidence, reliability, consistency) => {
    // With one trace and one signal, 1 − (1 − 0.9) is a bit below 0.9; the next double up is on the line.
    const above = [trace('a', { confidence: Math.min(1, confidence + 1e-12) })];
    expect(reliabilityOf(above).band).toBe(reliability);
    expect(consistencyOf(above).band).toBe(consistency);
  });

  it('name one of four quadrants, or none where either metric saw nothing', () => {
    const quadrant = (traces: Trace[], threshold?: number) =>
      quadrantOf(reliabilityOf(traces, null, threshold), consistencyOf(traces, null, threshold));
    const steady = { confidence: 1, loop_detection: 1, tool_correctness: 1, coherence: 1 };
    expect(quadrant([trace('a', steady)])).toBe('safe and smooth');
    expect(quadrant([trace('a', { confidence: 0.6, loop_detection: 0.55, coherence: 0.55 })])).toBe(
      'safe but uneven',
    );
    expect(quadrant([trace('a', { ...steady, loop_detection: 0 })])).toBe('predictable but not good');
    expect(quadrant([trace('a', { confidence: 0 })])).toBe('unreliable and unstable');
    expect(quadrant([trace('a', { coherence: 1 })])).toBeNull();
    expect(quadrant([])).toBeNull();
  });
});

describe('traces and weights', () => {
  it.each([
    [{ confidence: 1.2 }, 'traces[1].signals.confidence'],
    [{ coherence: -0.1 }, 'traces[1].signals.coherence'],
    [{ loop_detection: Number.NaN }, 'traces[1].signals.loop_detection'],
    [{ tool_correctness: '1' as never }, 'traces[1].signals.tool_correctness'],
    [{ charm: 1 } as never, 'traces[1].signals.charm'],
  ])('refuse the signals %j with their path', (bad, path) => {
    expectRefusal(() => toSessionSignals([trace('a', {}), trace('b', bad)]), path);
  });

  it('refuse one trace id twice, and an empty one', () => {
    expectRefusal(() => toSessionSignals([trace('a', {}), trace('a', {})]), 'traces[1].trace_id');
    expectRefusal(() => toSessionSignals([trace('', {})]), 'traces[0].trace_id');
  });

  it.each([
    [{ confidence: -0.1 }, 'signal_weights.confidence'],
    [{ coherence: 100.1 }, 'signal_weights.coherence'],
    [{ coherence: Number.POSITIVE_INFINITY }, 'signal_weights.coherence'],
    [{ coherence: '1' as never }, 'signal_weights.coherence'],
    [{ coherence: null as never }, 'signal_weights.coherence'],
    [{ charm: 1 } as never, 'signal_weights.charm'],
  ])('refuse the weights %j with their path', (bad, path) => {
    expectRefusal(() => reliabilityOf([], bad), path);
    expectRefusal(() => consistencyOf([], bad), path);
  });

  it('name every bad field of a request, up to twenty', () => {
    const many = Array.from({ length: 50 }, (_, i) => trace(`t${i}`, { confidence: 2 }));
    expect(() => toSessionSignals(many)).toThrow(
      expect.objectContaining({
        message: 'traces[0].signals.confidence must be a number from 0 to 1, not 2 (and 49 more).',
        details: expect.objectContaining({ length: 20 }),
      }),
    );
  });

  it('let a trace be called whatever it likes', () => {
    const names = ['__proto__', 'constructor', '10', '9', 'toString'];
    const checked = toSessionSignals(names.map((name) => trace(name, { confidence: 0.1 })));
    const result = scoreReliability(checked, {});
    const { per_trace_signals: perTrace } = JSON.parse(
      JSON.stringify(toReliabilityMetadata(checked, result)),
    );
    expect(Object.keys(perTrace).sort()).toEqual([...names].sort());
    expect(result.flaggedTraces).toEqual(names);
  });
});
