import { Issues } from '../issues.ts';

/** A closed interval for a rate or a difference. */
export interface Interval {
  low: number;
  high: number;
}

/**
 * Counts no experiment can have are refused, so that no interval is ever made from them. Fractions are allowed, for
 * evidence that is weighted; below a thousandth of an evaluation and above 10^12 the formulas would lose their digits.
 */
export function refuseImpossibleCounts(passes: number, n: number): void {
  const issues = new Issues();
  if (n !== 0) issues.number(n, 'n', { min: 1e-3, max: 1e12 });
  issues.number(passes, 'passes', { min: 0, max: Math.max(0, n || 0) });
  issues.throwIfAny();
}
