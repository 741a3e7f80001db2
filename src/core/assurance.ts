/**
 * How sure a reputation is: the 95 % band of the pass rate, and the score at both ends of it with the other components as
 * they are. The headline score stays the formula's; this stands beside it wherever it is shown.
 *
 * Evidence that was sampled enters by its pessimistic bound: of N evaluations of which n were sent, those unseen may all
 * have failed or all have passed, so that a band [l, h] of the n becomes [l·n/N, (h·n + N − n)/N].
 *
 * It leaves out that evaluations of one session resemble each other: the band takes them for independent.
 */
import { LIMITS } from './limits.ts';
import { type Reputation, toScore } from './reputation.ts';
import { confidenceSequence } from './stats/confidence-sequence.ts';

/**
 * Which promise the band makes. `anytime`: at all looks together, up to the agent's 500th evaluation. `each_look`: once the
 * window slides, old evaluations leave it, and the promise holds for every look by itself.
 */
export const ASSURANCE_METHODS = [
  'beta_binomial_sequence_v1.anytime',
  'beta_binomial_sequence_v1.each_look',
] as const;

export interface Assurance {
  passRateLow: number;
  passRateHigh: number;
  scoreLow: number;
  scoreHigh: number;
  /** Kish's effective size, (Σw)²/Σw²: evaluations that were sampled at different rates count for less than their number. */
  nEff: number;
  /** 1 − u of subjective logic with W = 2: 0 without evidence, and towards 1 with more of it. */
  certainty: number;
  method: (typeof ASSURANCE_METHODS)[number];
}

/** The prior weight of subjective logic (Jøsang 2016). */
const PRIOR_WEIGHT = 2;

export function assuranceOf(reputation: Reputation): Assurance {
  const { evalCount, passed, components, sampledFrom, sampledFromSquares, lifetimeEvaluations } = reputation;
  const seen = evalCount === 0 ? 1 : evalCount / sampledFrom;
  const { low, high } = confidenceSequence(passed, evalCount);
  const passRateLow = low * seen;
  const passRateHigh = high * seen + (1 - seen);
  const nEff = evalCount === 0 ? 0 : sampledFrom ** 2 / sampledFromSquares;
  const scoreAt = (passRate: number) => toScore({ ...components, passRate: passRate * 400 });
  return {
    passRateLow,
    passRateHigh,
    scoreLow: scoreAt(passRateLow),
    scoreHigh: scoreAt(passRateHigh),
    nEff,
    certainty: nEff / (nEff + PRIOR_WEIGHT),
    method: ASSURANCE_METHODS[lifetimeEvaluations > LIMITS.windowSize ? 1 : 0],
  };
}
