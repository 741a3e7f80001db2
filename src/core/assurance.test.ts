import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assuranceOf } from './assurance.ts';
import { LIMITS } from './limits.ts';
import { type Evaluation, reputationOf } from './reputation.ts';
import { confidenceSequence } from './stats/confidence-sequence.ts';
import type { Interval } from './stats/interval.ts';
import { createRandom } from './stats/random.ts';
import { wilsonInterval } from './stats/wilson.ts';

function record(passed: number, failed: number, more: Partial<Evaluation> = {}): Evaluation[] {
  const one = (ok: boolean) => ({ passed: ok, latencyMs: 0, ...more });
  return [
    ...Array.from({ length: failed }, () => one(false)),
    ...Array.from({ length: passed }, () => one(true)),
  ];
}

describe('the assurance of a reputation', () => {
  it('is the band of the pass rate, and the score at its ends with the other components as they are', () => {
    const reputation = reputationOf(record(450, 50));
    const { passRateLow, passRateHigh, scoreLow, scoreHigh, ...rest } = assuranceOf(reputation);
    expect([passRateLow, passRateHigh].map((rate) => Math.round(rate * 1000))).toEqual([846, 941]);
    // 250 for latency, 200 for the streak, 150 for volume.
    expect([scoreLow, reputation.score, scoreHigh]).toEqual([938, 960, 976]);
    expect(rest).toEqual({ nEff: 500, certainty: 500 / 502, method: 'beta_binomial_sequence_v1.anytime' });
  });

  it('knows nothing without evidence', () => {
    expect(assuranceOf(reputationOf([]))).toEqual({
      passRateLow: 0,
      passRateHigh: 1,
      scoreLow: 0,
      scoreHigh: 400,
      nEff: 0,
      certainty: 0,
      method: 'beta_binomial_sequence_v1.anytime',
    });
  });

  it('says when the window has begun to slide', () => {
    expect(assuranceOf(reputationOf(record(500, 0))).method).toMatch(/anytime$/);
    expect(assuranceOf(reputationOf(record(501, 0))).method).toMatch(/each_look$/);
  });

  it('takes unseen evaluations for failed at the lower edge and for passed at the upper', () => {
    const { low, high } = confidenceSequence(45, 50);
    const half = assuranceOf(reputationOf(record(45, 5, { sampleRate: 0.5 })));
    expect(half.passRateLow).toBeCloseTo(low / 2, 12);
    expect(half.passRateHigh).toBeCloseTo(high / 2 + 0.5, 12);
    expect(half.nEff).toBe(50);
    const mixed = reputationOf([...record(10, 0), ...record(10, 0, { sampleRate: 0.1 })]);
    expect(assuranceOf(mixed).nEff).toBeCloseTo(110 ** 2 / 1010, 9);
  });

  it('holds the score, and is a narrower band for more of the same', () => {
    const counts = fc.record({
      passed: fc.nat(120),
      failed: fc.nat(120),
      times: fc.integer({ min: 2, max: 4 }),
    });
    fc.assert(
      fc.property(counts, ({ passed, failed, times }) => {
        fc.pre(passed + failed > 0 && (passed + failed) * times <= LIMITS.windowSize);
        const reputation = reputationOf(record(passed, failed));
        const band = assuranceOf(reputation);
        expect(band.scoreLow).toBeLessThanOrEqual(reputation.score);
        expect(band.scoreHigh).toBeGreaterThanOrEqual(reputation.score);
        const more = assuranceOf(reputationOf(record(passed * times, failed * times)));
        expect(more.passRateHigh - more.passRateLow).toBeLessThan(band.passRateHigh - band.passRateLow);
      }),
    );
  });
});

const PAGE = readFileSync(new URL('../../docs/concepts/evidence.md', import.meta.url), 'utf8').replace(
  / +/g,
  ' ',
);

/** In how many of a hundred agents the band of the window failed to hold the true rate at any look so far. */
const sequence = (p: number) =>
  everMissed(confidenceSequence, { p, looks: 10_000, report: [500, 5_000, 10_000] });

describe('a simulation of a thousand agents, looked at after each evaluation', () => {
  it.each([0.5, 0.8, 0.95, 0.99])('at p = %d', (p) => {
    const [at500 = 100, at5000 = 100, at10000 = 100] = sequence(p);
    console.info(
      `band missed the true rate of ${p} at least once: ${at500} % of agents by their 500th evaluation, ${at5000} % by 5,000, ${at10000} % by 10,000`,
    );
    expect(at500).toBeLessThanOrEqual(5);
    // Once the window slides, the promise is for each look: about 6 % and 9 to 10 % are what has been seen before.
    expect(at5000).toBeLessThanOrEqual(9);
    expect(at10000).toBeLessThanOrEqual(14);
    expect(at10000).toBeGreaterThan(at500);
    // The page that quotes these figures quotes what this test finds.
    const row = [p, ...[at500, at5000, at10000].map((share) => share.toFixed(1))].join(' | ');
    expect(PAGE).toContain(`| ${row} |`);
  });

  it('would be noticed if the band were the usual one for a single look', () => {
    const [wilson = 0] = everMissed(wilsonInterval, { p: 0.8, looks: 500, report: [500] });
    expect(wilson).toBeGreaterThan(40);
  });

  it('would be noticed if the band were a third narrower than it should be', () => {
    const narrow = (k: number, n: number) => {
      const { low, high } = confidenceSequence(k, n);
      return { low: low + (high - low) / 6, high: high - (high - low) / 6 };
    };
    expect(everMissed(narrow, { p: 0.8, looks: 500, report: [500] })[0]).toBeGreaterThan(5);
  });
});

function everMissed(
  interval: (k: number, n: number) => Interval,
  { p, looks, report }: { p: number; looks: number; report: number[] },
): number[] {
  const AGENTS = 1_000;
  const random = createRandom(20_261_115);
  const holds = new Map<number, boolean>();
  const isInside = (k: number, n: number): boolean => {
    const key = n * 1_000 + k;
    const known = holds.get(key);
    if (known !== undefined) return known;
    const { low, high } = interval(k, n);
    holds.set(key, low <= p && p <= high);
    return low <= p && p <= high;
  };
  const firstMiss = Array.from({ length: AGENTS }, () => {
    const window = new Uint8Array(LIMITS.windowSize);
    let passes = 0;
    for (let look = 1; look <= looks; look++) {
      const at = look % LIMITS.windowSize;
      const passed = random() < p ? 1 : 0;
      passes += passed - (window[at] as number);
      window[at] = passed;
      if (!isInside(passes, Math.min(look, LIMITS.windowSize))) return look;
    }
    return Number.POSITIVE_INFINITY;
  });
  return report.map((look) => (100 * firstMiss.filter((miss) => miss <= look).length) / AGENTS);
}
