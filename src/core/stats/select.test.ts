import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectLargest, selectMedian } from './select.ts';

describe('selection', () => {
  const values = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: 0, max: 5 })), {
    maxLength: 300,
  });

  it('brings the k largest to the front and loses none', () => {
    fc.assert(
      fc.property(values, fc.nat(300), (drawn, k) => {
        const sorted = Float64Array.from(drawn).sort().reverse();
        const selected = Float64Array.from(drawn);
        const count = Math.min(k, drawn.length);
        selectLargest(selected, count);
        expect(selected.slice(0, count).sort().reverse()).toEqual(sorted.slice(0, count));
        expect(selected.sort().reverse()).toEqual(sorted);
      }),
      { numRuns: 500 },
    );
  });

  it('is not led into quadratic time by an input made for it', () => {
    // Without the way out this takes 1.7·10^10 steps instead of 10^7, far beyond the time limit below.
    const values = adversary(300_000);
    const smallest = Float64Array.from(values).sort().reverse()[149_999] as number;
    selectLargest(values, 150_000);
    expect(values.slice(0, 150_000).every((value) => value >= smallest)).toBe(true);
    expect(values.slice(150_000).every((value) => value <= smallest)).toBe(true);
  }, 5_000);

  it('finds the median of odd and even samples', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 50 }), (drawn) => {
        const sorted = [...drawn].sort((a, b) => a - b);
        const middle = sorted.length >> 1;
        const median =
          sorted.length % 2 === 1
            ? sorted[middle]
            : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
        expect(selectMedian(Float64Array.from(drawn))).toBe(median);
      }),
    );
  });
});

/** McIlroy's adversary ("A killer adversary for quicksort", 1999) against our pivots, in closed form: every round cuts off two. */
function adversary(length: number): Float64Array {
  const half = length / 2;
  const values = Float64Array.from({ length }, (_, i) => (i < half ? length - i - (i % 2) * 2 : 0));
  values[0] = length - 3;
  values[1] = 0;
  values[half - 1] = length;
  values[length - 1] = length - 1;
  return values;
}
