import { Issues } from '../core/issues.ts';
import { type Evaluation as Counted, LATENCY_RANGE, SAMPLE_RATE_RANGE } from '../core/reputation.ts';
import type { Evaluation } from './store.ts';

/** What of an evaluation enters its agent's window. */
export function toCounted({
  passed,
  totalLatencyMs,
  latencyMs,
  knownAs,
  sampleRate,
}: Pick<Evaluation, 'passed' | 'totalLatencyMs' | 'latencyMs' | 'knownAs' | 'sampleRate'>): Counted {
  return { passed, latencyMs: totalLatencyMs, agentLatencyMs: latencyMs ?? undefined, knownAs, sampleRate };
}

/** Refuses a batch that a window could not take, before any of it is stored. */
export function checkBatch(batch: readonly Evaluation[]): void {
  const issues = new Issues();
  batch.forEach(({ totalLatencyMs, latencyMs, sampleRate }, i) => {
    issues.number(totalLatencyMs, `events[${i}].total_latency_ms`, LATENCY_RANGE);
    if (latencyMs !== null) issues.number(latencyMs, `events[${i}].latency_ms`, LATENCY_RANGE);
    issues.number(sampleRate, `events[${i}].sample_rate`, SAMPLE_RATE_RANGE);
  });
  issues.throwIfAny();
}
