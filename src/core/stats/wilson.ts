import { type Interval, refuseImpossibleCounts } from './interval.ts';

/** The 97.5 % point of the normal distribution: the z of a two-sided 95 % interval. */
const Z = 1.959963984540054;

/**
 * Wilson's score interval (1927) for a pass rate, for one look. Wald's familiar ±z·√(p̂q̂/n) covers 40 % instead of
 * 95 % at n = 10, p = 0.95, which is where good agents live. Do not read it after every evaluation: over 500 looks
 * it is wrong at some point for about half of all agents; `confidenceSequence` is for that.
 */
export function wilsonInterval(passes: number, n: number): Interval {
  refuseImpossibleCounts(passes, n);
  if (n === 0) return { low: 0, high: 1 };
  const rate = passes / n;
  const scale = 1 + (Z * Z) / n;
  const centre = (rate + (Z * Z) / (2 * n)) / scale;
  const half = (Z / scale) * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n));
  // Exact at the ends on paper; the clamps take away the last bit of rounding.
  return {
    low: passes === 0 ? 0 : Math.max(0, centre - half),
    high: passes === n ? 1 : Math.min(1, centre + half),
  };
}
