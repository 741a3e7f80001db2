import { z } from 'zod';
import type { Consistency } from '../consistency.ts';
import { ENSEMBLE_WEIGHT, type Reliability, TOP_K_SHARE } from '../reliability.ts';
import type { SessionScore } from '../session-metric.ts';
import { type SessionSignals, SIGNALS, type Signal, type SignalWeights, type Trace } from '../signals.ts';
import { annotations } from './annotations.ts';
import { anyFields } from './parse.ts';

/** The traces of one session. Names and ranges of signals and weights are checked where they are used, in core. */
export const sessionMetricInput = z.strictObject({
  ...annotations,
  traces: z.array(z.strictObject({ trace_id: z.string(), signals: anyFields })),
  signal_weights: anyFields.nullish(),
  threshold: z.number().nullish(),
});
type SessionMetricInput = z.infer<typeof sessionMetricInput>;

export function toTraces({ traces }: SessionMetricInput): Trace[] {
  return traces.map(({ trace_id, signals }) => ({ traceId: trace_id, signals: signals as Trace['signals'] }));
}

export function toWeightOverrides({
  signal_weights,
}: Pick<SessionMetricInput, 'signal_weights'>): Partial<SignalWeights> | null {
  return (signal_weights ?? null) as Partial<SignalWeights> | null;
}

export function toSessionScoreWire(score: SessionScore) {
  return {
    score: score.score,
    threshold: score.threshold,
    passed: score.passed,
    band: score.band,
    reason: score.reason,
    coverage: score.coverage,
    evidence: score.evidence,
    signal_counts: score.signalCounts,
  };
}

export function toReliabilityMetadata(session: SessionSignals, result: Reliability) {
  return {
    total_traces_in_session: result.totalTraces,
    traces_evaluated: result.tracesEvaluated,
    raw_risk: result.rawRisk,
    signal_weights: result.weights,
    per_trace_signals: perTrace(session, result.stepRisks, (risks, i) => {
      risks.step_risk = result.stepRisks[i] as number;
    }),
    flagged_traces: result.flaggedTraces,
    aggregation: {
      method: 'max_compose_top_k',
      top_k_percentile: TOP_K_SHARE,
      ensemble_weight: ENSEMBLE_WEIGHT,
      mean_top_k_risk: result.meanTopKRisk,
      max_risk: result.maxRisk,
    },
  };
}

export function toConsistencyMetadata(session: SessionSignals, result: Consistency) {
  return {
    total_traces_in_session: result.totalTraces,
    traces_evaluated: result.tracesEvaluated,
    raw_instability: result.rawInstability,
    signal_weights: result.weights,
    per_trace_signals: perTrace(session, result.uncertainties, (risks, i) => {
      risks.situational_penalty = result.penalties[i] as number;
      risks.weighted_uncertainty = result.uncertainties[i] as number;
    }),
    aggregation: { method: 'weighted_rms', rms_value: result.rawInstability },
  };
}

const RISK_NAMES = {
  confidence: 'confidence_risk',
  loop_detection: 'loop_risk',
  tool_correctness: 'tool_risk',
  coherence: 'coherence_risk',
} as const satisfies Record<Signal, string>;

type TraceRisks = {
  [name in
    | (typeof RISK_NAMES)[Signal]
    | 'step_risk'
    | 'situational_penalty'
    | 'weighted_uncertainty']?: number;
};

/**
 * The unweighted risks of each evaluated trace by its id, with what the metric adds. Traces that were not evaluated
 * have NaN in `figures` and are left out. The record has no prototype, so that a trace may be called `__proto__`.
 */
function perTrace(
  { traceIds, columns }: SessionSignals,
  figures: Float64Array,
  add: (risks: TraceRisks, i: number) => void,
): Record<string, TraceRisks> {
  const byId: Record<string, TraceRisks> = Object.create(null);
  traceIds.forEach((traceId, i) => {
    if (Number.isNaN(figures[i])) return;
    const risks: TraceRisks = {};
    for (const signal of SIGNALS) {
      const value = columns[signal][i] as number;
      if (!Number.isNaN(value)) risks[RISK_NAMES[signal]] = 1 - value;
    }
    add(risks, i);
    byId[traceId] = risks;
  });
  return byId;
}
