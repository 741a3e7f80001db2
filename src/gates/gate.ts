/**
 * What a gate is: a name, and a function from one output to a verdict. The built-in ones have no other form than those
 * that users write.
 */
export interface Gate {
  readonly name: string;
  /** `signal` is aborted when the engine no longer waits: after the timeout, or when another gate has failed. */
  run(context: GateContext, signal: AbortSignal): GateFinding | Promise<GateFinding>;
}

/** One output of an agent and what is known of it, in the spelling of the wire. */
export interface GateContext {
  agent_id: string;
  output: unknown;
  input?: unknown;
  tool?: string | null;
  /** How long the agent itself took. */
  latency_ms?: number | null;
  session_id?: string | null;
  trace_id?: string | null;
  /** Drawn by the engine when absent. */
  evaluation_id?: string | null;
}

/** What one gate says of one output. */
export interface GateFinding {
  passed: boolean;
  /** Short, and quotes nothing of the payload: it is stored. */
  reason?: string;
  /** The gate had nothing to judge. */
  skipped?: boolean;
  /** For whoever runs the gate; never leaves the process, so it may name places in the payload. */
  details?: unknown;
}

export const PASSED: GateFinding = { passed: true };

/** Thrown by a gate that cannot tell. The engine records it as an error; the message is stored, and quotes nothing of the payload. */
export class Undecided extends Error {
  override readonly name = 'Undecided';
}
