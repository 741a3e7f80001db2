/**
 * Identity reputation: what 90 days of events say about an identity.
 *
 *   category = mean of score_delta over t−90d < timestamp <= t (0 without events)
 *   overall = .40·task_quality + .35·economic + .25·identity_hygiene     confidence = min(1, total/100)
 *
 * The trends are the overall score as it stood at t−7d and t−30d, each over its own 90 days.
 */
import { Issues, isWithin } from './issues.ts';
import { LIMITS } from './limits.ts';
import { RunningSum } from './stats/running-sum.ts';

const CATEGORY_WEIGHTS = { task_quality: 0.4, economic: 0.35, identity_hygiene: 0.25 } as const;
export type Category = keyof typeof CATEGORY_WEIGHTS;
const CATEGORIES = Object.keys(CATEGORY_WEIGHTS) as Category[];

export interface IdentityEvent {
  /** Epoch milliseconds. */
  timestamp: number;
  category: Category;
  scoreDelta: number;
  /** How sure the reporter was, 0–1. Refused out of range, and not part of the score. */
  confidence?: number | undefined;
}

export interface IdentityScore {
  overallScore: number;
  categoryScores: Record<Category, number>;
  totalEvents: number;
  positiveEvents: number;
  negativeEvents: number;
  confidence: number;
  score7dAgo: number;
  score30dAgo: number;
}

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 90;

/** Ninety days up to a moment: start < timestamp <= end. */
interface Window {
  start: number;
  end: number;
}

function windowAt(now: number, daysAgo: number): Window {
  const end = now - daysAgo * DAY_MS;
  return { start: end - WINDOW_DAYS * DAY_MS, end };
}

export function scoreIdentity(events: readonly IdentityEvent[], now: number): IdentityScore {
  checkNow(now);
  checkEvents(events, 'events');
  return toScore(({ start, end }) => {
    const tally = emptyTally();
    for (const { timestamp, category, scoreDelta } of events) {
      if (timestamp > start && timestamp <= end) tally[category].addDelta(scoreDelta);
    }
    return tally;
  }, now);
}

/** What one category of one identity came to on one UTC day. Days are whole numbers, counted from 1970-01-01. */
export interface DailySum {
  day: number;
  category: Category;
  sum: number;
  total: number;
  positive: number;
  negative: number;
}

/** Rolls events up into daily sums, in the order of their days' first appearance. */
export function toDailySums(events: readonly IdentityEvent[]): DailySum[] {
  checkEvents(events, 'events');
  const days = new Map<number, Tally>();
  for (const { timestamp, category, scoreDelta } of events) {
    const day = dayOf(timestamp);
    let tally = days.get(day);
    if (!tally) {
      tally = emptyTally();
      days.set(day, tally);
    }
    tally[category].addDelta(scoreDelta);
  }
  return [...days].flatMap(([day, tally]) =>
    CATEGORIES.filter((category) => tally[category].total > 0).map((category) => {
      const { sum, total, positive, negative } = tally[category];
      return { day, category, sum, total, positive, negative };
    }),
  );
}

/**
 * The days on which one of the three windows begins or ends. A daily sum cannot tell which of that day's events are
 * inside, so a store reads these few days event by event and takes the sums for all others.
 */
export function edgeDays(now: number): number[] {
  checkNow(now);
  return [0, 7, 30].flatMap((daysAgo) => {
    const { start, end } = windowAt(now, daysAgo);
    return [dayOf(start), dayOf(end)];
  });
}

/** The time after which an event can matter to a score at `now`, trends included. */
export function reachOf(now: number): number {
  return windowAt(now, 30).start;
}

/**
 * The same score from daily sums, with the events of the `edgeDays`. Sums and events may overlap and may reach
 * further than needed: each window takes from either what is its own.
 */
export function scoreIdentityFromDays(
  sums: readonly DailySum[],
  edgeEvents: readonly IdentityEvent[],
  now: number,
): IdentityScore {
  checkNow(now);
  checkSums(sums);
  checkEvents(edgeEvents, 'edge_events');
  return toScore(({ start, end }) => {
    const tally = emptyTally();
    const [firstDay, lastDay] = [dayOf(start), dayOf(end)];
    for (const sum of sums) if (sum.day > firstDay && sum.day < lastDay) tally[sum.category].addSum(sum);
    for (const { timestamp, category, scoreDelta } of edgeEvents) {
      const day = dayOf(timestamp);
      const onEdge = day === firstDay || day === lastDay;
      if (onEdge && timestamp > start && timestamp <= end) tally[category].addDelta(scoreDelta);
    }
    return tally;
  }, now);
}

/** What the deltas of one category came to over one stretch of time. */
class CategoryTally {
  readonly #sum = new RunningSum();
  total = 0;
  positive = 0;
  negative = 0;

  addDelta(delta: number): void {
    this.#sum.add(delta);
    this.total++;
    if (delta > 0) this.positive++;
    else if (delta < 0) this.negative++;
  }

  addSum({ sum, total, positive, negative }: DailySum): void {
    this.#sum.add(sum);
    this.total += total;
    this.positive += positive;
    this.negative += negative;
  }

  get sum(): number {
    return this.#sum.value;
  }

  get mean(): number {
    return this.total === 0 ? 0 : this.sum / this.total;
  }
}

type Tally = Readonly<Record<Category, CategoryTally>>;

function emptyTally(): Tally {
  return {
    task_quality: new CategoryTally(),
    economic: new CategoryTally(),
    identity_hygiene: new CategoryTally(),
  };
}

function overallOf(tally: Tally): number {
  return CATEGORIES.reduce((sum, category) => sum + CATEGORY_WEIGHTS[category] * tally[category].mean, 0);
}

function countOf(tally: Tally, which: 'total' | 'positive' | 'negative'): number {
  return CATEGORIES.reduce((sum, category) => sum + tally[category][which], 0);
}

function toScore(tallyAt: (window: Window) => Tally, now: number): IdentityScore {
  const today = tallyAt(windowAt(now, 0));
  const totalEvents = countOf(today, 'total');
  return {
    overallScore: overallOf(today),
    categoryScores: {
      task_quality: today.task_quality.mean,
      economic: today.economic.mean,
      identity_hygiene: today.identity_hygiene.mean,
    },
    totalEvents,
    positiveEvents: countOf(today, 'positive'),
    negativeEvents: countOf(today, 'negative'),
    confidence: Math.min(1, totalEvents / 100),
    score7dAgo: overallOf(tallyAt(windowAt(now, 7))),
    score30dAgo: overallOf(tallyAt(windowAt(now, 30))),
  };
}

const COUNT_RANGE = { min: 0, max: Number.MAX_SAFE_INTEGER };
const UNKNOWN_CATEGORY = `is unknown; the categories are ${CATEGORIES.join(', ')}`;
const TIME_RANGE = { min: -LIMITS.epochMsMax, max: LIMITS.epochMsMax };
const CONFIDENCE_RANGE = { min: 0, max: 1 };
const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(CATEGORIES);
const DELTA_RANGE = { min: -LIMITS.scoreDeltaMax, max: LIMITS.scoreDeltaMax };

function checkNow(now: number): void {
  const issues = new Issues();
  issues.number(now, 'now', TIME_RANGE);
  issues.throwIfAny();
}

/** The conditions before each `issues` call spare a million good events the making of their paths. */
function checkEvents(events: readonly IdentityEvent[], path: string): void {
  const issues = new Issues();
  events.forEach(({ timestamp, category, scoreDelta, confidence }, i) => {
    if (!isWithin(timestamp, TIME_RANGE)) issues.number(timestamp, `${path}[${i}].timestamp`, TIME_RANGE);
    if (!KNOWN_CATEGORIES.has(category)) issues.add(`${path}[${i}].category`, UNKNOWN_CATEGORY);
    if (!isWithin(scoreDelta, DELTA_RANGE)) {
      issues.number(scoreDelta, `${path}[${i}].score_delta`, DELTA_RANGE);
    }
    if (confidence !== undefined) issues.number(confidence, `${path}[${i}].confidence`, CONFIDENCE_RANGE);
  });
  issues.throwIfAny();
}

function checkSums(sums: readonly DailySum[]): void {
  const issues = new Issues();
  sums.forEach(({ day, category, sum, total, positive, negative }, i) => {
    const path = `sums[${i}]`;
    if (!KNOWN_CATEGORIES.has(category)) issues.add(`${path}.category`, UNKNOWN_CATEGORY);
    issues.whole(day, `${path}.day`, { min: dayOf(TIME_RANGE.min), max: dayOf(TIME_RANGE.max) });
    issues.whole(total, `${path}.total`, COUNT_RANGE);
    issues.whole(positive, `${path}.positive`, { min: 0, max: total });
    issues.whole(negative, `${path}.negative`, { min: 0, max: total - positive });
    issues.number(sum, `${path}.sum`, {
      min: -total * LIMITS.scoreDeltaMax,
      max: total * LIMITS.scoreDeltaMax,
    });
  });
  issues.throwIfAny();
}

/** The UTC day of a time, counted from 1970-01-01. */
export function dayOf(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS);
}
