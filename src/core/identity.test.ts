import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../test/support/refusal.ts';
import {
  type DailySum,
  dayOf,
  edgeDays,
  type IdentityEvent,
  type IdentityScore,
  scoreIdentity,
  scoreIdentityFromDays,
  toDailySums,
} from './identity.ts';

const DAY = 86_400_000;
const now = fc.integer({ min: 1_600_000_000_000, max: 1_900_000_000_000 });
const category = fc.constantFrom('task_quality' as const, 'economic' as const, 'identity_hygiene' as const);
const scoreDelta = fc.oneof(
  fc.double({ min: -1000, max: 1000, noNaN: true }),
  fc.constantFrom(-1, 0, 0.1, 1),
);

/** Events before, at and around every edge of the three windows, some of them to the millisecond. */
const history = now.chain((t) => {
  const offset = fc.oneof(
    fc.integer({ min: -5 * DAY, max: 130 * DAY }),
    fc
      .tuple(fc.constantFrom(0, 7, 30, 90, 97, 120), fc.integer({ min: -1, max: 1 }))
      .map(([days, ms]) => days * DAY + ms),
  );
  const event = fc.record({ timestamp: offset.map((ms) => t - ms), category, scoreDelta });
  return fc.record({ now: fc.constant(t), events: fc.array(event, { maxLength: 300 }) });
});

describe('an identity', () => {
  it('has means within the deltas and finite figures for whatever is accepted', () => {
    fc.assert(
      fc.property(history, ({ now: t, events }) => {
        const score = scoreIdentity(events, t);
        for (const figure of figures(score)) expect(Number.isFinite(figure)).toBe(true);
        expect(Math.abs(score.overallScore)).toBeLessThanOrEqual(1000 + 1e-9);
        expect(score.confidence).toBe(Math.min(1, score.totalEvents / 100));
        expect(score.positiveEvents + score.negativeEvents).toBeLessThanOrEqual(score.totalEvents);
      }),
    );
  });

  it('scores the same in any order of events', () => {
    const shuffled = history.chain(({ now: t, events }) =>
      fc.record({
        now: fc.constant(t),
        events: fc.constant(events),
        permuted: fc.shuffledSubarray(events, { minLength: events.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ now: t, events, permuted }) => {
        expectClose(scoreIdentity(permuted, t), scoreIdentity(events, t));
      }),
    );
  });

  it('scores the same from daily sums and the events of the edge days alone', () => {
    fc.assert(
      fc.property(history, ({ now: t, events }) => {
        const days = edgeDays(t);
        const edges = events.filter(({ timestamp }) => days.includes(dayOf(timestamp)));
        expectClose(scoreIdentityFromDays(toDailySums(events), edges, t), scoreIdentity(events, t));
        // A store may hand over more than it need: sums of edge days are ignored, and so are events of whole days.
        expectClose(scoreIdentityFromDays(toDailySums(events), events, t), scoreIdentity(events, t));
      }),
    );
  });

  it('scores the same from daily sums rolled up in two goes', () => {
    fc.assert(
      fc.property(history, fc.nat(), ({ now: t, events }, cut) => {
        const half = cut % (events.length + 1);
        const sums: DailySum[] = [...toDailySums(events.slice(0, half)), ...toDailySums(events.slice(half))];
        expectClose(scoreIdentityFromDays(sums, events, t), scoreIdentity(events, t));
      }),
    );
  });

  it('remembers how it stood a week and a month ago, over their own ninety days', () => {
    const t = 1_780_000_000_000;
    const events: IdentityEvent[] = [
      { timestamp: t - 119 * DAY, category: 'task_quality', scoreDelta: -1 },
      { timestamp: t - 96 * DAY, category: 'task_quality', scoreDelta: 0.5 },
      { timestamp: t - 6 * DAY, category: 'task_quality', scoreDelta: 1 },
    ];
    const score = scoreIdentity(events, t);
    expect(score.overallScore).toBeCloseTo(0.4 * 1, 12);
    expect(score.score7dAgo).toBeCloseTo(0.4 * 0.5, 12);
    expect(score.score30dAgo).toBeCloseTo(0.4 * -0.25, 12);
  });

  it.each([
    [{ scoreDelta: 1000.1 }, 'events[0].score_delta'],
    [{ scoreDelta: Number.NaN }, 'events[0].score_delta'],
    [{ scoreDelta: '1' as never }, 'events[0].score_delta'],
    [{ category: 'charm' as never }, 'events[0].category'],
    [{ category: 'toString' as never }, 'events[0].category'],
    [{ timestamp: Number.NaN }, 'events[0].timestamp'],
    [{ timestamp: 9e15 }, 'events[0].timestamp'],
    [{ confidence: 1.1 }, 'events[0].confidence'],
  ])('refuses %j with its path', (bad, path) => {
    const event: IdentityEvent = { timestamp: 0, category: 'economic', scoreDelta: 0, ...bad };
    expectRefusal(() => scoreIdentity([event], 0), path);
    expectRefusal(() => toDailySums([event]), path);
  });

  it.each([
    [{ sum: Number.NaN }, 'sums[0].sum'],
    [{ sum: 1e9 }, 'sums[0].sum'],
    [{ total: -1 }, 'sums[0].total'],
    [{ total: 1.5 }, 'sums[0].total'],
    [{ positive: 3 }, 'sums[0].positive'],
    [{ positive: 2, negative: 1 }, 'sums[0].negative'],
    [{ day: 0.5 }, 'sums[0].day'],
    [{ category: '__proto__' as never }, 'sums[0].category'],
  ])('refuses the daily sum %j with its path', (bad, path) => {
    const sum: DailySum = {
      day: 1,
      category: 'economic',
      sum: 1,
      total: 2,
      positive: 1,
      negative: 0,
      ...bad,
    };
    expectRefusal(() => scoreIdentityFromDays([sum], [], 0), path);
  });

  it('refuses a moment that is none', () => {
    expectRefusal(() => edgeDays(Number.NaN), 'now');
    expectRefusal(() => scoreIdentity([], Number.NaN), 'now');
    expectRefusal(() => scoreIdentityFromDays([], [], Number.POSITIVE_INFINITY), 'now');
  });
});

function figures({ categoryScores, ...rest }: IdentityScore): number[] {
  return [...Object.values(rest), ...Object.values(categoryScores)];
}

function expectClose(actual: IdentityScore, expected: IdentityScore): void {
  figures(actual).forEach((figure, i) => {
    expect(Math.abs(figure - (figures(expected)[i] as number))).toBeLessThanOrEqual(1e-9);
  });
}
