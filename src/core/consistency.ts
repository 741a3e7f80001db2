/**
 * agent_consistency: how steady a session was as a whole.
 *
 *   penalty = Σ weight·(1 − signal) over the other present signals     wu = (1 + penalty)·(w_conf·(1 − confidence))
 *   rms = sqrt(Σ wu² / n)     score = clamp(1 − rms, 0, 1)
 *
 * n counts the traces that carry `confidence`; no others take part.
 */
import {
  type Bands,
  type SessionMetricOptions,
  type SessionScore,
  toSessionScore,
} from './session-metric.ts';
import { type SessionSignals, type SignalColumns, type SignalWeights, toSignalWeights } from './signals.ts';
import { RunningSum } from './stats/running-sum.ts';

export const CONSISTENCY_BANDS: Bands = [
  [0.9, 'highly consistent'],
  [0.7, 'generally consistent'],
  [0.5, 'moderate instability'],
  [0.3, 'high instability'],
  [0, 'unstable'],
];

export interface Consistency extends SessionScore {
  /** The root mean square itself; null when no trace was evaluable. */
  rawInstability: number | null;
  /** One per trace of the session, NaN for those that were not evaluated. */
  penalties: Float64Array;
  uncertainties: Float64Array;
}

export function scoreConsistency(session: SessionSignals, options: SessionMetricOptions): Consistency {
  const weights = toSignalWeights(options.weights);
  const { rms, evaluated, penalties, uncertainties } = consistencyKernel(session.columns, weights);
  const raw = evaluated > 0 ? rms : null;
  return {
    ...toSessionScore(raw, session, {
      threshold: options.threshold,
      weights,
      tracesEvaluated: evaluated,
      bands: CONSISTENCY_BANDS,
    }),
    rawInstability: raw,
    penalties,
    uncertainties,
  };
}

export interface ConsistencyKernel {
  rms: number;
  evaluated: number;
  penalties: Float64Array;
  uncertainties: Float64Array;
}

/** The formula over bare columns. Absent signals are NaN, and a comparison with NaN is false: they skip themselves. */
export function consistencyKernel(columns: SignalColumns, weights: SignalWeights): ConsistencyKernel {
  const { confidence, loop_detection: loop, tool_correctness: tool, coherence } = columns;
  const n = confidence.length;
  const penalties = new Float64Array(n);
  const uncertainties = new Float64Array(n);
  const squares = new RunningSum();
  let evaluated = 0;
  for (let i = 0; i < n; i++) {
    const uncertainty = weights.confidence * (1 - (confidence[i] as number));
    if (Number.isNaN(uncertainty)) {
      penalties[i] = Number.NaN;
      uncertainties[i] = Number.NaN;
      continue;
    }
    let penalty = 0;
    const loopRisk = weights.loop_detection * (1 - (loop[i] as number));
    const toolRisk = weights.tool_correctness * (1 - (tool[i] as number));
    const coherenceRisk = weights.coherence * (1 - (coherence[i] as number));
    if (loopRisk > 0) penalty += loopRisk;
    if (toolRisk > 0) penalty += toolRisk;
    if (coherenceRisk > 0) penalty += coherenceRisk;
    const weighted = (1 + penalty) * uncertainty;
    penalties[i] = penalty;
    uncertainties[i] = weighted;
    squares.add(weighted * weighted);
    evaluated++;
  }
  return {
    rms: evaluated === 0 ? 0 : Math.sqrt(squares.value / evaluated),
    evaluated,
    penalties,
    uncertainties,
  };
}
