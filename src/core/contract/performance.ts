import { z } from 'zod';
import { DIMENSION_WEIGHTS_PERCENT, type Performance, type SessionCounters } from '../performance.ts';
import { annotations } from './annotations.ts';
import { anyFields } from './parse.ts';

/** The counters of one session. Their names and ranges are checked in core. */
export const performanceInput = z.strictObject({
  ...annotations,
  counters: anyFields,
});

export function toCounters({ counters }: z.infer<typeof performanceInput>): SessionCounters {
  return counters as SessionCounters;
}

export function toPerformanceWire(scored: Performance) {
  return {
    dimensions: scored.dimensions,
    composite: scored.composite,
    recommendation: scored.recommendation,
    weights_percent: DIMENSION_WEIGHTS_PERCENT,
    missing_inputs: scored.missingInputs,
    affected_dimensions: scored.affectedDimensions,
  };
}
