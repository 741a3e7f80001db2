/** One session by the metrics of a plan: what is stored of it, and how each trace came out when somebody asks. */
import { scoreConsistency } from '../core/consistency.ts';
import { toConsistencyMetadata, toReliabilityMetadata } from '../core/contract/session-metrics.ts';
import { scoreReliability } from '../core/reliability.ts';
import type { SessionMetric } from '../core/session-metric.ts';
import { type SignalWeights, toSessionSignals } from '../core/signals.ts';
import type { SessionTraces, StoredSessionScore } from '../store/store.ts';
import type { RunPlan } from './run-plan.ts';

/** `session` is null where nobody has reported anything: its scores say so. */
export function scoreSession(
  session: SessionTraces | null,
  { sessionId, runId, plan, at }: { sessionId: string; runId: string; plan: RunPlan; at: number },
): StoredSessionScore[] {
  const signals = toSessionSignals(session?.traces ?? []);
  return plan.metrics.map((metric) => {
    const options = { weights: plan.signal_weights, threshold: plan.thresholds[metric] };
    const { scored, flagged } = scoreBy(metric, signals, options);
    return {
      runId,
      sessionId,
      metric,
      agentId: session?.agentId ?? null,
      tags: session?.tags ?? [],
      score: scored.score,
      threshold: scored.threshold,
      passed: scored.passed,
      evidence: scored.evidence,
      totalTraces: scored.totalTraces,
      tracesEvaluated: scored.tracesEvaluated,
      flaggedTraces: flagged,
      signalCounts: scored.signalCounts,
      weights: scored.weights,
      revision: session?.revision ?? 0,
      sessionAt: session?.lastAt ?? at,
      computedAt: at,
    };
  });
}

/** How each trace came out; null when the traces no longer make the score that was stored. */
export function explainScore(session: SessionTraces | null, stored: StoredSessionScore): object | null {
  const signals = toSessionSignals(session?.traces ?? []);
  const options = { weights: stored.weights as SignalWeights, threshold: stored.threshold };
  const { scored, metadata } = scoreBy(stored.metric, signals, options);
  return Math.abs(scored.score - stored.score) <= SAME_WITHIN ? metadata() : null;
}

/** An engine may keep scores as 32-bit floats. */
const SAME_WITHIN = 1e-6;

type Signals = ReturnType<typeof toSessionSignals>;

function scoreBy(
  metric: SessionMetric,
  signals: Signals,
  options: { weights: Partial<SignalWeights>; threshold: number },
) {
  if (metric === 'agent_consistency') {
    const scored = scoreConsistency(signals, options);
    return { scored, flagged: 0, metadata: () => toConsistencyMetadata(signals, scored) };
  }
  const scored = scoreReliability(signals, options);
  return {
    scored,
    flagged: scored.flaggedTraces.length,
    metadata: () => toReliabilityMetadata(signals, scored),
  };
}
