/** What both session metrics share: how a score is read, and how much was seen when it was made. */
import { Issues } from './issues.ts';
import { type SessionSignals, SIGNALS, type Signal, type SignalWeights } from './signals.ts';

export const SESSION_METRICS = ['agent_reliability', 'agent_consistency'] as const;
export type SessionMetric = (typeof SESSION_METRICS)[number];

export interface SessionMetricOptions {
  /** Take the place of the default weights where given. */
  weights?: Partial<SignalWeights> | null | undefined;
  /** `passed` means a score of at least this. */
  threshold?: number | undefined;
}

/**
 * How much stands behind a score. `full`: every trace was evaluated and carried all four signals. `none`: nothing was
 * seen, and the score of 1.0 says nothing; it must never count as a pass.
 */
export type Evidence = 'none' | 'partial' | 'full';

export interface SessionScore {
  /** 0–1, unrounded. */
  score: number;
  threshold: number;
  /** Null without evidence. */
  passed: boolean | null;
  /** In words for people; null without evidence. */
  band: string | null;
  reason: string;
  totalTraces: number;
  tracesEvaluated: number;
  /** Evaluated traces per trace; 0 without traces. */
  coverage: number;
  evidence: Evidence;
  signalCounts: Readonly<Record<Signal, number>>;
  weights: SignalWeights;
}

/** Bands from best to worst: the lowest score that still belongs, and its name. */
export type Bands = readonly (readonly [from: number, name: string])[];

export const THRESHOLD_DEFAULT = 0.5;

/** Turns a raw risk into the score and everything that is read off it. `raw` is null when no trace was evaluable. */
export function toSessionScore(
  raw: number | null,
  session: SessionSignals,
  {
    tracesEvaluated,
    bands,
    weights,
    threshold = THRESHOLD_DEFAULT,
  }: { tracesEvaluated: number; bands: Bands; weights: SignalWeights; threshold?: number | undefined },
): SessionScore {
  const issues = new Issues();
  issues.number(threshold, 'threshold', { min: 0, max: 1 });
  issues.throwIfAny();

  const totalTraces = session.traceIds.length;
  const score = raw === null ? 1 : Math.min(1, Math.max(0, 1 - raw));
  return {
    score,
    threshold,
    passed: raw === null ? null : score >= threshold,
    ...describeScore({ score, tracesEvaluated, totalTraces, signalCounts: session.counts }, bands),
    totalTraces,
    tracesEvaluated,
    coverage: totalTraces === 0 ? 0 : tracesEvaluated / totalTraces,
    evidence: evidenceOf(session, tracesEvaluated),
    signalCounts: session.counts,
    weights,
  };
}

/** A score in words: the band it lies in and why, or why there is none. */
export function describeScore(
  {
    score,
    tracesEvaluated,
    totalTraces,
    signalCounts,
  }: Pick<SessionScore, 'score' | 'tracesEvaluated' | 'totalTraces' | 'signalCounts'>,
  bands: Bands,
): Pick<SessionScore, 'band' | 'reason'> {
  if (tracesEvaluated === 0) return { band: null, reason: whyNothing(signalCounts) };
  const band = bandOf(score, bands);
  return { band, reason: `${tracesEvaluated} of ${totalTraces} traces evaluated: ${band}.` };
}

function bandOf(score: number, bands: Bands): string {
  return bands.find(([from]) => score >= from)?.[1] ?? '';
}

function whyNothing(counts: SessionScore['signalCounts']): string {
  const seen = SIGNALS.some((signal) => counts[signal] > 0);
  return seen ? 'No evaluable traces.' : 'No traces or signals to evaluate.';
}

function evidenceOf({ traceIds, counts }: SessionSignals, tracesEvaluated: number): Evidence {
  if (tracesEvaluated === 0) return 'none';
  return SIGNALS.every((signal) => counts[signal] === traceIds.length) ? 'full' : 'partial';
}
