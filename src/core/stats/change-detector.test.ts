import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../test/support/refusal.ts';
import {
  ALARM_AT,
  BASELINE_FROM,
  type ChangeAlarm,
  createDetector,
  type DetectorState,
  observe,
} from './change-detector.ts';
import { createRandom, type Random } from './random.ts';

function feed(
  state: DetectorState,
  rate: number,
  { count, random }: { count: number; random: Random },
): ChangeAlarm | null {
  for (let i = 0; i < count; i++) {
    const alarm = observe(state, random() < rate);
    if (alarm) return alarm;
  }
  return null;
}

/** The median number of evaluations to the alarm, for agents that are at `rate` from the first one on. */
function medianDelay(rate: number, make: () => DetectorState): number {
  const random = createRandom(4);
  const delays = Array.from(
    { length: 400 },
    () => feed(make(), rate, { count: 20_000, random })?.at ?? 20_000,
  );
  return delays.sort((a, b) => a - b)[200] as number;
}

function falseAlarms(make: () => DetectorState, { rate, count }: { rate: number; count: number }): number {
  const random = createRandom(9);
  const alarms = Array.from({ length: 1_000 }, () => feed(make(), rate, { count, random }));
  return (100 * alarms.filter((alarm) => alarm !== null).length) / alarms.length;
}

describe('the change detector', () => {
  it.each([
    [0.92, 608],
    [0.9, 271],
    [0.85, 94],
    [0.8, 53],
    [0.7, 26],
    [0.5, 13],
  ])('alarms after a drop from .95 to %d in about %i evaluations', (rate, expected) => {
    const delay = medianDelay(rate, () => createDetector(0.95));
    console.info(`a drop from 0.95 to ${rate}: median delay ${delay} evaluations (published: ${expected})`);
    expect(Math.abs(delay - expected)).toBeLessThanOrEqual(Math.max(2, 0.15 * expected));
  });

  it('would be noticed late with a baseline that is too low, or if it forgot what it has seen', () => {
    const isLate = (delay: number, expected: number) => delay > 1.15 * expected;
    expect(
      isLate(
        medianDelay(0.85, () => createDetector(0.92)),
        94,
      ),
    ).toBe(true);
    const random = createRandom(4);
    const forgetful = Array.from({ length: 100 }, () => {
      for (let begun = 0; begun < 2_000; begun += 25) {
        const alarm = feed(createDetector(0.95), 0.8, { count: 25, random });
        if (alarm) return begun + alarm.at;
      }
      return 2_000;
    });
    expect(isLate(forgetful.sort((a, b) => a - b)[50] as number, 53)).toBe(true);
  });

  it('leaves a healthy agent with a declared baseline alone', () => {
    const within1000 = falseAlarms(() => createDetector(0.95), { rate: 0.95, count: 1_000 });
    const within2000 = falseAlarms(() => createDetector(0.95), { rate: 0.95, count: 2_000 });
    console.info(`false alarms: ${within1000} % within 1,000 evaluations, ${within2000} % within 2,000`);
    expect(within1000).toBeLessThanOrEqual(5);
    // The promise is 10 %: so many thousandths of the threshold.
    expect(within2000).toBeLessThanOrEqual(7);
  });

  it.each([0.8, 0.95, 0.99])('leaves a healthy agent alone that it learned at a rate of %d', (rate) => {
    const alarms = falseAlarms(() => createDetector(), { rate, count: BASELINE_FROM + 1_000 });
    console.info(`false alarms with a learned baseline at ${rate}: ${alarms} % within 1,000 evaluations`);
    expect(alarms).toBeLessThanOrEqual(2);
  });

  it('would be noticed with a threshold of a thousand, or a baseline taken from a hundred evaluations', () => {
    const low = () => ({ ...createDetector(0.95), sums: Array(6).fill(0) });
    const random = createRandom(9);
    let alarms = 0;
    for (let agent = 0; agent < 500; agent++) {
      const state = low();
      for (let i = 0; i < 1_000; i++) {
        observe(state, random() < 0.95);
        if (state.sums.reduce((sum, one) => sum + one, 0) / 6 < 1_000) continue;
        alarms++;
        break;
      }
    }
    expect((100 * alarms) / 500).toBeGreaterThan(30);
    const hasty = () => {
      const passed = Array.from({ length: 100 }, () => random() < 0.95).filter(Boolean).length;
      return createDetector(Math.min(0.999, passed / 100));
    };
    expect(falseAlarms(hasty, { rate: 0.95, count: 1_000 })).toBeGreaterThan(12);
  });

  it('is silent before it has a baseline, whatever happens', () => {
    const state = createDetector();
    for (let i = 0; i < BASELINE_FROM; i++) expect(observe(state, i % 2 === 0 && i < 250)).toBeNull();
    expect(state.baseline).toBeGreaterThan(0.2);
    expect(state.baseline).toBeLessThan(0.25);
  });

  it('says since when, how sure and how bad, and says it once', () => {
    const state = createDetector(0.95);
    const random = createRandom(1);
    expect(feed(state, 0.95, { count: 400, random })).toBeNull();
    const alarm = feed(state, 0.6, { count: 400, random }) as ChangeAlarm;
    expect(Math.abs(alarm.since - 401)).toBeLessThanOrEqual(10);
    expect(alarm.eValue).toBeGreaterThanOrEqual(ALARM_AT);
    expect(alarm.rateSince).toBeGreaterThan(0.3);
    expect(alarm.rateSince).toBeLessThan(0.85);
    expect(feed(state, 0.2, { count: 400, random })).toBeNull();
    expect(state.alarm).toBe(alarm);
  });

  it('goes on where it stopped when it was kept as JSON in between', () => {
    const [whole, random] = [createDetector(0.95), createRandom(3)];
    let kept = createDetector(0.95);
    for (let i = 0; i < 600; i++) {
      const passed = random() < (i < 300 ? 0.95 : 0.8);
      expect(observe(kept, passed)).toEqual(observe(whole, passed));
      kept = JSON.parse(JSON.stringify(kept));
    }
    expect(kept).toEqual(whole);
    expect(whole.alarm).not.toBeNull();
  });

  it('stays finite for an agent that fails for ever', () => {
    const state = createDetector(0.999);
    for (let i = 0; i < 100_000; i++) observe(state, false);
    expect(state.sums.every(Number.isFinite)).toBe(true);
  });

  it.each([0, 1, Number.NaN, 2])('refuses a baseline of %d', (baseline) => {
    expectRefusal(() => createDetector(baseline), 'baseline_pass_rate');
  });
});
