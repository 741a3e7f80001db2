import { FULL_STREAK, type Lifecycle, type ReputationComponents, sumOfComponents } from './reputation.ts';
import type { ReputationWindow } from './reputation-window.ts';

/** A score that would come about, and by how much it would differ from today's. */
export interface Outlook {
  score: number;
  change: number;
}

export interface ReputationExplanation {
  score: number;
  lifecycle: Lifecycle;
  /** The points of each component; together with `rounding` they make the score. */
  components: ReputationComponents;
  /** What rounding down to a whole score took away: above −1, and 0 or less but for the last digit. */
  rounding: number;
  nextPass: Outlook;
  nextFailure: Outlook;
  /** After as many passes in a row as a streak of 50 still needs. */
  fullStreak: Outlook & { passes: number };
}

/**
 * Why the score is what it is, and what would become of it. The outlooks are not estimates: the evaluations are
 * pushed onto a copy of the window, so that what they evict is reckoned in. Each is taken to be as fast as the
 * window's average.
 */
export function explainReputation(window: ReputationWindow): ReputationExplanation {
  const { score, lifecycle, components, streak, avgLatencyMs } = window.reputation();
  const outlook = (passed: boolean, times: number): Outlook => {
    const future = window.copy();
    for (let i = 0; i < times; i++) future.push(passed, avgLatencyMs);
    const reached = future.reputation().score;
    return { score: reached, change: reached - score };
  };
  const passes = Math.max(0, FULL_STREAK - streak);
  return {
    score,
    lifecycle,
    components,
    rounding: score - sumOfComponents(components),
    nextPass: outlook(true, 1),
    nextFailure: outlook(false, 1),
    fullStreak: { passes, ...outlook(true, passes) },
  };
}
