/**
 * How a session compares with the agent's own earlier ones of the same kind of work, started in the same way: an agent
 * under an SDK is asked less often than one on a terminal, and its autonomy says nothing about the other's.
 */
import { LIMITS } from '../core/limits.ts';
import { MedianBootstrap } from '../core/stats/bootstrap.ts';
import { selectMedian } from '../core/stats/select.ts';
import type { KindOfWork } from './kind-of-work.ts';
import type { Judged } from './verdict.ts';

/** One seed for all: the same sessions give the same interval, on every machine. */
const BOOTSTRAP = new MedianBootstrap(1979);

export type Baseline =
  | { sessions: number; missing: string }
  | { sessions: number; median: number; difference: number; low: number; high: number };

/** What of another session decides whether, and with what, it is compared. */
export interface OtherSession {
  sessionId: string;
  agent: string;
  entrypoint: string;
  kind: KindOfWork | (string & {});
  tools: number;
  startedAt: number;
  composite: number;
}

export function toOtherSession({ summary, kind, performance }: Judged): OtherSession {
  const { sessionId, agent, entrypoint } = summary.entry;
  const { tools, startedAt } = summary;
  return { sessionId, agent, entrypoint, kind, tools, startedAt, composite: performance.composite };
}

/** The others come with those first that began last, and are asked for no further than they are needed. */
export function compareWithEarlier(judged: Judged, latestFirst: Iterable<OtherSession>): Baseline {
  const { summary, performance } = judged;
  if (summary.tools === 0) return { sessions: 0, missing: 'no tool results in this session' };
  const { baselineSessionsMin, baselineSessionsMax } = LIMITS;
  const earlier: number[] = [];
  for (const other of latestFirst) {
    if (!isComparable(other, judged) || other.startedAt >= summary.startedAt) continue;
    earlier.push(other.composite);
    if (earlier.length === baselineSessionsMax) break;
  }
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
    ...BOOTSTRAP.difference(earlier, now),
  };
}

function isComparable(other: OtherSession, { summary, kind }: Judged): boolean {
  return (
    other.kind === kind &&
    other.tools > 0 &&
    other.sessionId !== summary.entry.sessionId &&
    other.agent === summary.entry.agent &&
    other.entrypoint === summary.entry.entrypoint
  );
}
