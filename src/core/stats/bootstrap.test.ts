import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../test/support/refusal.ts';
import { bootstrapMedianDifference, MedianBootstrap } from './bootstrap.ts';
import { createRandom } from './random.ts';

describe('the bootstrap of a median difference', () => {
  const before = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const after = [4, 5, 6, 7, 8, 9, 10, 11, 12];

  it('gives the same interval for the same seed, and another for another', () => {
    const first = bootstrapMedianDifference(before, after, { seed: 7 });
    expect(bootstrapMedianDifference(before, after, { seed: 7 })).toEqual(first);
    expect(first.difference).toBe(3);
    expect(first).toMatchObject({ low: -1, high: 7 });
    const noisy = before.map((x, i) => x + i * 0.37);
    const [a, b] = [7, 8].map((seed) => bootstrapMedianDifference(noisy, after, { seed }));
    expect(a).not.toEqual(b);
  });

  it('gives one pair of samples the same interval, whichever were compared before it', () => {
    const bootstrap = new MedianBootstrap(7);
    bootstrap.difference([1, 2, 3], [4, 5]);
    expect(bootstrap.difference(before, after)).toEqual(
      bootstrapMedianDifference(before, after, { seed: 7 }),
    );
  });

  it('is certain of a difference without noise, and finds none where there is none', () => {
    expect(bootstrapMedianDifference([2, 2, 2], [5, 5], { seed: 1 })).toEqual({
      difference: 3,
      low: 3,
      high: 3,
    });
    const same = bootstrapMedianDifference(before, before, { seed: 1 });
    expect(same.low).toBeLessThan(0);
    expect(same.high).toBeGreaterThan(0);
  });

  it('holds the true difference about as often as it says', () => {
    // 400 pairs of 20 draws each from one distribution: the percentile interval of a median is a little wide.
    const random = createRandom(42);
    const draw = () => Array.from({ length: 20 }, () => random() + random());
    let held = 0;
    for (let i = 0; i < 400; i++) {
      const { low, high } = bootstrapMedianDifference(draw(), draw(), { seed: i });
      if (low <= 0 && 0 <= high) held++;
    }
    expect(held / 400).toBeGreaterThan(0.92);
    expect(held / 400).toBeLessThan(0.995);
  });

  it('is finite for whatever is accepted, and lies within the extremes', () => {
    const sample = fc.array(fc.double({ min: -1e300, max: 1e300, noNaN: true }), {
      minLength: 2,
      maxLength: 12,
    });
    fc.assert(
      fc.property(sample, sample, fc.nat(), (from, to, seed) => {
        const { difference, low, high } = bootstrapMedianDifference(from, to, { seed });
        expect([difference, low, high].every(Number.isFinite)).toBe(true);
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(Math.min(...to) - Math.max(...from));
        expect(high).toBeLessThanOrEqual(Math.max(...to) - Math.min(...from));
      }),
      { numRuns: 30 },
    );
  });

  it('refuses a sample of one, and what is no number', () => {
    expectRefusal(() => bootstrapMedianDifference([1], after, { seed: 1 }), 'before.length');
    expectRefusal(() => bootstrapMedianDifference(before, [1, Number.NaN], { seed: 1 }), 'after[1]');
    expectRefusal(() => bootstrapMedianDifference(before, after, { seed: 0.5 }), 'seed');
    expectRefusal(() => bootstrapMedianDifference(before, after, { seed: Number.NaN }), 'seed');
  });
});
