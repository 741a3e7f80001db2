/** What the two intervals promise, computed exactly over all outcomes there can be rather than simulated. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../test/support/refusal.ts';
import { confidenceSequence } from './confidence-sequence.ts';
import type { Interval } from './interval.ts';
import { logBeta, logGamma } from './log-gamma.ts';
import { wilsonInterval } from './wilson.ts';

const permille = ({ low, high }: Interval) => [Math.round(low * 1000), Math.round(high * 1000)];

describe("Wilson's interval", () => {
  it.each([
    [10, 596, 982],
    [20, 699, 972],
    [50, 786, 957],
    [100, 826, 945],
    [200, 851, 934],
    [500, 871, 923],
  ])('of an observed rate of 0.9 in %i is %i–%i', (n, low, high) => {
    expect(permille(wilsonInterval(0.9 * n, n))).toEqual([low, high]);
  });

  it.each([
    [10, 0.95, 0.914],
    [20, 0.95, 0.925],
    [50, 0.95, 0.962],
    [50, 0.99, 0.911],
    [100, 0.95, 0.966],
    [500, 0.95, 0.95],
  ])('covers the truth as often as it should at n = %i, p = %d: %d', (n, p, coverage) => {
    expect(exactCoverage(wilsonInterval, n, p)).toBeCloseTo(coverage, 3);
  });

  it('covers what Wald does not: where good agents live', () => {
    const wald = (k: number, n: number): Interval => {
      const half = 1.959963984540054 * Math.sqrt(((k / n) * (1 - k / n)) / n);
      return { low: k / n - half, high: k / n + half };
    };
    expect(exactCoverage(wald, 10, 0.95)).toBeCloseTo(0.4, 2);
    expect(exactCoverage(wald, 50, 0.99)).toBeCloseTo(0.395, 3);
  });
});

describe('the confidence sequence', () => {
  it.each([
    [450, 500, 0.5, [846, 941]],
    [45, 50, 0.5, [713, 984]],
    // The figures that circulate, 845–941 and 712–984, are those of the uniform mixture.
    [450, 500, 1, [845, 941]],
    [45, 50, 1, [712, 984]],
  ])('of %i in %i with a = b = %d is %j', (k, n, shape, band) => {
    expect(permille(confidenceSequence(k, n, shape))).toEqual(band);
  });

  // Over 500 looks; the second figure is the chance that Wilson's interval, made for one look, is wrong at any of them.
  it.each([
    [0.5, 3.3, 48],
    [0.8, 3.0, 53],
    [0.95, 2.1, 44],
    [0.99, 1.7, 31],
  ])('at p = %d is ever wrong for about %d in a hundred agents, and Wilson for %d', (p, sequence, wilson) => {
    const everWrong = 100 * chanceEverWrong(confidenceSequence, p, 500);
    expect(everWrong).toBeLessThanOrEqual(5);
    // The figures were simulated with 4,000 agents: three standard errors of such a simulation.
    expect(Math.abs(everWrong - sequence)).toBeLessThanOrEqual(3 * simulationError(sequence));
    const wilsonWrong = 100 * chanceEverWrong(wilsonInterval, p, 500);
    expect(Math.abs(wilsonWrong - wilson)).toBeLessThanOrEqual(3 * simulationError(wilson) + 0.5);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a mixture of shape %d', (shape) => {
    expectRefusal(() => confidenceSequence(450, 500, shape), 'shape');
  });

  it('has its edges where the martingale is 1/α', () => {
    const { low, high } = confidenceSequence(30, 40);
    for (const p of [low, high]) {
      const logM = logBeta(30.5, 10.5) - logBeta(0.5, 0.5) - 30 * Math.log(p) - 10 * Math.log(1 - p);
      expect(Math.exp(logM)).toBeCloseTo(20, 6);
    }
  });
});

describe.each([
  ['wilsonInterval', wilsonInterval],
  ['confidenceSequence', confidenceSequence],
] as [string, (k: number, n: number) => Interval][])('%s', (_, interval) => {
  it('holds the observed rate, within 0 and 1, for any counts', () => {
    const counts = fc.nat(100_000).chain((n) => fc.record({ n: fc.constant(n), k: fc.nat(n) }));
    fc.assert(
      fc.property(counts, ({ n, k }) => {
        const { low, high } = interval(k, n);
        expect(0 <= low && high <= 1).toBe(true);
        if (n > 0) expect(low <= k / n && k / n <= high).toBe(true);
        if (k === 0) expect(low).toBe(0);
        if (k === n) expect(high).toBe(1);
      }),
    );
  });

  it('knows nothing without evidence', () => {
    expect(interval(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it.each([
    [3, 2, 'passes'],
    [-1, 2, 'passes'],
    [Number.NaN, 2, 'passes'],
    [0, -1, 'n'],
    [0, Number.POSITIVE_INFINITY, 'n'],
    [0, Number.NaN, 'n'],
    [1e-320, 1e-310, 'n'],
  ])('refuses %d of %d', (k, n, path) => {
    expectRefusal(() => interval(k, n), path);
  });
});

/** The chance that an interval holds p after n evaluations, over all counts there can be. */
function exactCoverage(interval: (k: number, n: number) => Interval, n: number, p: number): number {
  let covered = 0;
  for (let k = 0; k <= n; k++) {
    const { low, high } = interval(k, n);
    if (low <= p && p <= high)
      covered += Math.exp(logBinomial(n, k) + k * Math.log(p) + (n - k) * Math.log(1 - p));
  }
  return covered;
}

function logBinomial(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

/** The chance that an interval looked at after each of n evaluations fails to hold p at least once. */
function chanceEverWrong(interval: (k: number, n: number) => Interval, p: number, looks: number): number {
  // alive[k]: the chance of k passes so far with the interval right at every look.
  let alive = [1];
  for (let n = 1; n <= looks; n++) {
    alive = Array.from({ length: n + 1 }, (_, k) => {
      const chance = (alive[k] ?? 0) * (1 - p) + (alive[k - 1] ?? 0) * p;
      if (chance === 0) return 0;
      const { low, high } = interval(k, n);
      return low <= p && p <= high ? chance : 0;
    });
  }
  return 1 - alive.reduce((sum, chance) => sum + chance, 0);
}

function simulationError(percent: number): number {
  return 100 * Math.sqrt(((percent / 100) * (1 - percent / 100)) / 4_000);
}
