/** What an engine answers, in the spelling of the wire, and the rules that read it. */

/**
 * `aborted`: fail-fast stopped it. `timeout` and `error` are troubles of the gate, not of the agent: they block, and do
 * not count.
 */
type GateOutcome = 'passed' | 'failed' | 'skipped' | 'aborted' | 'timeout' | 'error';

export interface GateResult {
  name: string;
  outcome: GateOutcome;
  passed: boolean;
  latency_ms: number;
  reason?: string;
  /** Never leaves the process. */
  details?: unknown;
}

export interface EvaluationResult {
  evaluation_id: string;
  agent_id: string;
  tool: string | null;
  passed: boolean;
  gates: GateResult[];
  /** Wall clock of all gates together. */
  total_latency_ms: number;
  /** Epoch milliseconds. */
  timestamp: number;
  /** Which suite judged, where the engine knows. */
  suite_hash?: string;
}

type Outcomes = readonly { outcome: GateOutcome }[];

/** Whether an output may go on: no gate failed, timed out or threw. */
export function isPassed(gates: Outcomes): boolean {
  return !gates.some(({ outcome }) => outcome === 'failed' || isTrouble(outcome));
}

/**
 * Whether an evaluation enters the agent's window (SPEC §1): a failure always does; otherwise no gate may have been in
 * trouble, and at least one must have passed.
 */
export function doesCount(gates: Outcomes): boolean {
  if (gates.some(({ outcome }) => outcome === 'failed')) return true;
  if (gates.some(({ outcome }) => isTrouble(outcome))) return false;
  return gates.some(({ outcome }) => outcome === 'passed');
}

function isTrouble(outcome: GateOutcome): boolean {
  return outcome === 'timeout' || outcome === 'error';
}

/** The result as it may leave the process. */
export function withoutDetails<T extends EvaluationResult>(result: T): T {
  return { ...result, gates: result.gates.map(({ details: _, ...gate }) => gate) };
}
