import type { DayCounts } from './store.ts';

/** So many days on which nothing happened. */
export function emptyDays(days: number): DayCounts {
  return { evaluations: new Array(days).fill(0), passed: new Array(days).fill(0) };
}
