/**
 * agent_reliability: how bad the worst of a session was.
 *
 *   step_risk = max over the present signals of weight·(1 − signal)
 *   k = max(1, ceil(0.15·n))     raw = 0.9·mean(k largest step risks) + 0.1·max     score = clamp(1 − raw, 0, 1)
 *
 * n counts the traces that have any signal at all. A trace is flagged when its step risk is strictly above 0.5.
 */
import {
  type Bands,
  type SessionMetricOptions,
  type SessionScore,
  toSessionScore,
} from './session-metric.ts';
import { type SessionSignals, type SignalColumns, type SignalWeights, toSignalWeights } from './signals.ts';
import { RunningSum } from './stats/running-sum.ts';
import { selectLargest } from './stats/select.ts';

export const TOP_K_SHARE = 0.15;
export const ENSEMBLE_WEIGHT = 0.1;
const FLAGGED_ABOVE = 0.5;

export const RELIABILITY_BANDS: Bands = [
  [0.9, 'highly reliable'],
  [0.7, 'generally reliable'],
  [0.5, 'moderate risk'],
  [0.3, 'elevated risk'],
  [0, 'high risk'],
];

export interface Reliability extends SessionScore {
  /** Null, like the two below, when no trace was evaluable. */
  rawRisk: number | null;
  meanTopKRisk: number | null;
  maxRisk: number | null;
  flaggedTraces: string[];
  /** One per trace of the session, NaN for those that were not evaluated. */
  stepRisks: Float64Array;
}

export function scoreReliability(session: SessionSignals, options: SessionMetricOptions): Reliability {
  const weights = toSignalWeights(options.weights);
  const kernel = reliabilityKernel(session.columns, weights);
  const { stepRisks, evaluated } = kernel;
  const seen = evaluated > 0;
  return {
    ...toSessionScore(seen ? kernel.raw : null, session, {
      threshold: options.threshold,
      weights,
      tracesEvaluated: evaluated,
      bands: RELIABILITY_BANDS,
    }),
    rawRisk: seen ? kernel.raw : null,
    meanTopKRisk: seen ? kernel.meanTopK : null,
    maxRisk: seen ? kernel.max : null,
    flaggedTraces: session.traceIds.filter((_, i) => (stepRisks[i] as number) > FLAGGED_ABOVE),
    stepRisks,
  };
}

export interface ReliabilityKernel {
  raw: number;
  meanTopK: number;
  max: number;
  evaluated: number;
  stepRisks: Float64Array;
}

/** The formula over bare columns. Absent signals are NaN, and a comparison with NaN is false: they skip themselves. */
export function reliabilityKernel(columns: SignalColumns, weights: SignalWeights): ReliabilityKernel {
  const { confidence, loop_detection: loop, tool_correctness: tool, coherence } = columns;
  const n = confidence.length;
  const stepRisks = new Float64Array(n);
  const risks = new Float64Array(n);
  let evaluated = 0;
  let max = 0;
  for (let i = 0; i < n; i++) {
    let step = -1;
    const confidenceRisk = weights.confidence * (1 - (confidence[i] as number));
    const loopRisk = weights.loop_detection * (1 - (loop[i] as number));
    const toolRisk = weights.tool_correctness * (1 - (tool[i] as number));
    const coherenceRisk = weights.coherence * (1 - (coherence[i] as number));
    if (confidenceRisk > step) step = confidenceRisk;
    if (loopRisk > step) step = loopRisk;
    if (toolRisk > step) step = toolRisk;
    if (coherenceRisk > step) step = coherenceRisk;
    if (step < 0) {
      stepRisks[i] = Number.NaN;
      continue;
    }
    stepRisks[i] = step;
    risks[evaluated++] = step;
    if (step > max) max = step;
  }
  const meanTopK = evaluated === 0 ? 0 : meanOfLargest(risks.subarray(0, evaluated), topK(evaluated));
  return {
    raw: (1 - ENSEMBLE_WEIGHT) * meanTopK + ENSEMBLE_WEIGHT * max,
    meanTopK,
    max,
    evaluated,
    stepRisks,
  };
}

function topK(n: number): number {
  return Math.max(1, Math.ceil(TOP_K_SHARE * n));
}

function meanOfLargest(values: Float64Array, k: number): number {
  selectLargest(values, k);
  const sum = new RunningSum();
  for (let i = 0; i < k; i++) sum.add(values[i] as number);
  return sum.value / k;
}
