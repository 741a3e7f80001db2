import type { Interval } from './interval.ts';
import { wilsonInterval } from './wilson.ts';

interface Rate {
  passed: number;
  count: number;
}

export interface RateDifference extends Interval {
  difference: number;
}

/**
 * By how much one pass rate lies above another, with a 95 % interval for one look: Newcombe's hybrid of two Wilson
 * intervals (1998, method 10), which stays inside −1 to 1 and holds where the normal approximation does not. Null when
 * either side has no evaluation.
 */
export function rateDifference(before: Rate, after: Rate): RateDifference | null {
  if (before.count === 0 || after.count === 0) return null;
  const [p1, p2] = [after.passed / after.count, before.passed / before.count];
  const one = wilsonInterval(after.passed, after.count);
  const two = wilsonInterval(before.passed, before.count);
  return {
    difference: p1 - p2,
    low: p1 - p2 - Math.hypot(p1 - one.low, two.high - p2),
    high: p1 - p2 + Math.hypot(one.high - p1, p2 - two.low),
  };
}
