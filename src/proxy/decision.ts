/** One judged message of MCP: the evaluation it makes, and how it is told to the client when it was blocked. */
import { type EvaluationResult, type GateResult, isPassed } from '../gates/evaluation-result.ts';

type Direction = 'request' | 'response';

export interface Decision {
  evaluation: EvaluationResult;
  /** Where it was blocked; null when it was not. */
  direction: Direction | null;
  /** How long the server took, where it was asked. */
  latencyMs: number | null;
  /** Whether it is an evaluation of the agent: a tool call is, a resource or prompt that was blocked is one too. */
  tracked: boolean;
}

const WORST_LAST = ['skipped', 'aborted', 'passed', 'timeout', 'error', 'failed'];

/**
 * The gates over the request and the gates over its answer as one evaluation. A gate that ran on both sides has the worse
 * outcome of the two, and the time of both.
 */
export function combine(request: EvaluationResult | null, response: EvaluationResult): EvaluationResult {
  if (!request) return response;
  const gates = new Map<string, GateResult>(request.gates.map((gate) => [gate.name, gate]));
  for (const gate of response.gates) {
    const earlier = gates.get(gate.name);
    gates.set(
      gate.name,
      earlier ? { ...worse(earlier, gate), latency_ms: earlier.latency_ms + gate.latency_ms } : gate,
    );
  }
  const list = [...gates.values()];
  return {
    ...response,
    passed: isPassed(list),
    gates: list,
    total_latency_ms: request.total_latency_ms + response.total_latency_ms,
  };
}

function worse(one: GateResult, other: GateResult): GateResult {
  return WORST_LAST.indexOf(other.outcome) >= WORST_LAST.indexOf(one.outcome) ? other : one;
}

/** The JSON-RPC error that says what was blocked. */
export function toRpcError({ evaluation, direction }: Decision): object {
  // What a gate has found says more than that another could not tell.
  const { name, reason, outcome } = evaluation.gates.find((gate) => gate.outcome === 'failed') ??
    evaluation.gates.find((gate) => !gate.passed && gate.outcome !== 'aborted') ?? {
      name: 'unknown',
      outcome: 'error',
      reason: undefined,
    };
  const why = reason ?? `The gate ended with ${outcome}.`;
  return {
    code: -32000,
    message: `Blocked by the gate ${name}: ${why}`,
    data: { evaluation_id: evaluation.evaluation_id, gate: name, reason: why, direction },
  };
}
