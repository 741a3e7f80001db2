import { Issues } from '../issues.ts';

/** A closed interval for a rate or a difference. */
export interface Interval {
  low: number;
  high: number;
}

/**
 * Counts no experiment can have are refused, so that no interval is ever made from them. Fractions are allowed, for
 * evidence that is weighted; above 10^12 the logarithms of the intervals would lose their digits.
 */
export function refuseImpossibleCounts(passes: number, n: number): void {
  const issues = new Issues();
  issues.number(n, 'n', { min: 0, max: 1e12 });
  issues.number(passes, 'passes', { min: 0, max: n });
  issues.throwIfAny();
}
