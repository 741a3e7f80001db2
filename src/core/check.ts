/**
 * A check of an agent against a minimum, with three answers. It reads the band and not the bare score: `pass` when even
 * the lower edge is high enough, `fail` when even the upper edge is too low, and otherwise the honest answer, with how
 * many further evaluations it would expect to need. Nothing seen is never a pass.
 */
import { type Assurance, assuranceOf } from './assurance.ts';
import { LIMITS } from './limits.ts';
import { computeReputation, FULL_STREAK, type Reputation } from './reputation.ts';
import type { SessionScore } from './session-metric.ts';

export const VERDICTS = ['pass', 'fail', 'not_enough_evidence'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Check {
  verdict: Verdict;
  reason: string;
  /** How many further evaluations would decide it, at the rate seen so far; null where it is decided, or never would be. */
  furtherEvaluations: number | null;
}

export interface CheckOptions {
  min: number;
  /** Reads the bare score instead of the band. */
  point?: boolean;
}

export function checkReputation(reputation: Reputation, { min, point = false }: CheckOptions): Check {
  const { score, evalCount } = reputation;
  if (evalCount === 0) {
    const furtherEvaluations = point ? null : expectedFurther(reputation, min);
    return undecided('Nobody has evaluated this agent yet.', furtherEvaluations);
  }
  if (point) {
    const reads = score >= min ? 'reaches' : 'is below';
    return decided(score >= min, `The score of ${score} ${reads} ${min}; the band was not asked for.`);
  }
  const { scoreLow, scoreHigh } = assuranceOf(reputation);
  const band = `the band of the score is ${scoreLow} to ${scoreHigh}`;
  if (scoreLow >= min) return decided(true, `Even its lower edge reaches ${min}: ${band}.`);
  if (scoreHigh < min) return decided(false, `Even its upper edge is below ${min}: ${band}.`);
  return undecided(`${min} lies inside the band: ${band}.`, expectedFurther(reputation, min));
}

/**
 * Whether the score has fallen by more than `maxDrop` since it was `before`. The earlier score is taken as it was
 * shown; the doubt is in the later one.
 */
export function checkDrop(
  before: Reputation,
  after: Reputation,
  { maxDrop, point = false }: { maxDrop: number; point?: boolean },
): Check {
  if (before.evalCount === 0) return undecided('There was no score then to fall from.', null);
  const floor = Math.max(0, before.score - maxDrop);
  const { verdict, reason, furtherEvaluations } = checkReputation(after, { min: floor, point });
  return {
    verdict,
    reason: `It stood at ${before.score}, and may fall by ${maxDrop}. ${reason}`,
    furtherEvaluations,
  };
}

/** A session passes by its score, and never on the strength of having seen nothing. */
export function checkSession({ score, evidence, reason }: SessionScore, min: number): Check {
  if (evidence === 'none') return undecided(reason, null);
  const shown = Number(score.toFixed(4));
  const seen = evidence === 'partial' ? ' on partial evidence' : '';
  return decided(
    score >= min,
    `The score of ${shown}${seen} ${score >= min ? 'reaches' : 'is below'} ${min}. ${reason}`,
  );
}

/** The worst of several answers: one failure fails, one doubt leaves it open. */
export function worstOf(checks: readonly Check[]): Check {
  const order: Verdict[] = ['fail', 'not_enough_evidence', 'pass'];
  const [worst] = [...checks].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  return worst as Check;
}

function decided(passed: boolean, reason: string): Check {
  return { verdict: passed ? 'pass' : 'fail', reason, furtherEvaluations: null };
}

function undecided(reason: string, furtherEvaluations: number | null): Check {
  return { verdict: 'not_enough_evidence', reason, furtherEvaluations };
}

/** Looks ahead in growing steps, because the answer is an expectation and not a count. */
function expectedFurther(reputation: Reputation, min: number): number | null {
  for (let more = 1; more <= LIMITS.checkHorizon; more = Math.ceil(more * 1.05)) {
    const { scoreLow, scoreHigh } = expectedAfter(reputation, more);
    if (scoreLow >= min || scoreHigh < min) return more;
  }
  return null;
}

/**
 * The band after `more` evaluations that pass at the rate seen so far (as Jeffreys' prior sees it, so that three passes
 * do not promise a fourth), each as fast as the average. Those that leave the window passed at the window's rate.
 */
function expectedAfter(reputation: Reputation, more: number): Assurance {
  const { evalCount, passed, avgLatencyMs, streak } = reputation;
  const rate = (passed + 0.5) / (evalCount + 1);
  const n = Math.min(LIMITS.windowSize, evalCount + more);
  const arriving = Math.min(more, LIMITS.windowSize);
  const staying = n - arriving;
  const stillPassed = evalCount === 0 ? 0 : (passed * staying) / evalCount;
  const weight = evalCount === 0 ? 1 : reputation.sampledFrom / evalCount;
  const square = evalCount === 0 ? 1 : reputation.sampledFromSquares / evalCount;
  return assuranceOf(
    computeReputation({
      ...reputation,
      evalCount: n,
      passed: Math.min(n, stillPassed + rate * arriving),
      latencySumMs: avgLatencyMs * n,
      agentLatencySumMs: 0,
      agentLatencyCount: 0,
      streak: expectedStreak(streak, rate, more),
      lifetimeEvaluations: reputation.lifetimeEvaluations + more,
      sampledFrom: weight * n,
      sampledFromSquares: square * n,
    }),
  );
}

/** E[min(streak, 50)] after so many more: Σ rate^j over the lengths it can reach, and the old streak if all of them pass. */
function expectedStreak(streak: number, rate: number, more: number): number {
  let expected = rate ** more * Math.min(streak, Math.max(0, FULL_STREAK - more));
  for (let j = 1; j <= Math.min(more, FULL_STREAK); j++) expected += rate ** j;
  return expected;
}
