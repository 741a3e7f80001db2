import { expect, it } from 'vitest';
import { LIMITS } from '../core/limits.ts';
import { RateLimit } from './rate-limit.ts';

it('allows a burst, then so many a second, to each caller by itself', () => {
  let now = 0;
  const limit = new RateLimit({ perSecond: 2, burst: 3, clock: () => now });
  const takes = (caller: string, count: number) =>
    Array.from({ length: count }, () => limit.take(caller).allowed);
  expect(takes('a', 4)).toEqual([true, true, true, false]);
  expect(limit.take('a')).toEqual({ allowed: false, limit: 3, remaining: 0, resetS: 2, retryAfterS: 1 });
  expect(takes('b', 1)).toEqual([true]);
  now = 1_000;
  expect(takes('a', 3)).toEqual([true, true, false]);
  now = 60_000;
  expect(takes('a', 4)).toEqual([true, true, true, false]);
});

it('is not fooled by a clock that goes back, and remembers only so many callers', () => {
  let now = 5_000;
  const limit = new RateLimit({ perSecond: 1, burst: 1, clock: () => now });
  limit.take('a');
  now = 0;
  expect(limit.take('a').allowed).toBe(false);
  for (let i = 0; i < LIMITS.rateBucketsMax; i++) limit.take(`caller ${i}`);
  expect(limit.take('a').allowed).toBe(true);
});
