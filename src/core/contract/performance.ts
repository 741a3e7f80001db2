import { z } from 'zod';
import { DIMENSION_WEIGHTS_PERCENT, type Performance, type SessionCounters } from '../performance.ts';
import { annotations } from './annotations.ts';

/** The counters of one session. Their names and ranges are checked in core. */
export const performanceInput = z.strictObject({
  ...annotations,
  counters: z.record(z.string(), z.unknown()),
});

export function toCounters({ counters }: z.infer<typeof performanceInput>): SessionCounters {
  return counters as SessionCounters;
}

export function toPerformanceWire(performance: Performance) {
  return {
    dimensions: performance.dimensions,
    composite: performance.composite,
    recommendation: performance.recommendation,
    weights_percent: DIMENSION_WEIGHTS_PERCENT,
    missing_inputs: performance.missingInputs,
    affected_dimensions: performance.affectedDimensions,
  };
}
