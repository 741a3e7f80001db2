import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { Issues } from '../core/issues.ts';
import { type Gate, PASSED } from './gate.ts';

/** Fails when the agent took longer than this; skipped when nobody says how long it took. */
export function latency({ maxMs }: { maxMs: number }): Gate {
  const issues = new Issues();
  issues.number(maxMs, 'maxMs', { min: 0, max: CLIENT_LIMITS.latencyMsMax });
  issues.throwIfAny();
  return {
    name: 'latency',
    run({ latency_ms }) {
      if (typeof latency_ms !== 'number' || Number.isNaN(latency_ms)) return { passed: true, skipped: true };
      return latency_ms > maxMs
        ? { passed: false, reason: `The agent took longer than ${maxMs} ms.` }
        : PASSED;
    },
  };
}
