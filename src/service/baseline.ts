/**
 * How a session compares with the agent's own earlier ones of the same kind of work, started in the same way: an agent
 * under an SDK is asked less often than one on a terminal, and its autonomy says nothing about the other's.
 */
import { LIMITS } from '../core/limits.ts';
import { bootstrapMedianDifference } from '../core/stats/bootstrap.ts';
import { selectMedian } from '../core/stats/select.ts';
import { Fingerprint } from '../telemetry/fingerprint.ts';
import type { Judged } from './verdict.ts';

export type Baseline =
  | { sessions: number; missing: string }
  | { sessions: number; median: number; difference: number; low: number; high: number };

export function compareWithEarlier(judged: Judged, all: readonly Judged[]): Baseline {
  const { summary, performance } = judged;
  if (summary.tools === 0) return { sessions: 0, missing: 'no tool results in this session' };
  const earlier = all
    .filter((other) => isComparable(other, judged) && other.summary.startedAt < summary.startedAt)
    .sort((a, b) => b.summary.startedAt - a.summary.startedAt)
    .slice(0, LIMITS.baselineSessionsMax)
    .map((other) => other.performance.composite);
  const { baselineSessionsMin } = LIMITS;
  if (earlier.length < baselineSessionsMin) {
    return {
      sessions: earlier.length,
      missing: `not enough sessions yet (${earlier.length} of ${baselineSessionsMin})`,
    };
  }
  // This session is one value, not a sample: given twice, it has no noise of its own, and the interval is that of the others.
  const now = [performance.composite, performance.composite];
  return {
    sessions: earlier.length,
    median: selectMedian(Float64Array.from(earlier)),
    ...bootstrapMedianDifference(earlier, now, { seed: seedOf(summary.entry.sessionId) }),
  };
}

function isComparable(other: Judged, { summary, kind }: Judged): boolean {
  const { entry } = other.summary;
  return (
    other.kind === kind &&
    other.summary.tools > 0 &&
    entry.sessionId !== summary.entry.sessionId &&
    entry.agent === summary.entry.agent &&
    entry.entrypoint === summary.entry.entrypoint
  );
}

/** The same session gives the same interval, on every machine. */
function seedOf(sessionId: string): number {
  return new Fingerprint().add(sessionId).value % 2 ** 32;
}
