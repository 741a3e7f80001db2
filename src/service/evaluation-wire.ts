/** A stored evaluation in the spelling of the wire. */
import { toTime } from '../core/contract/fields.ts';
import type { GateVerdict, StoredEvaluation } from '../store/store.ts';

export function toGateWire({ name, outcome, latencyMs, reason }: GateVerdict) {
  return {
    name,
    outcome,
    passed: outcome === 'passed' || outcome === 'skipped',
    latency_ms: latencyMs,
    ...(reason !== null && { reason }),
  };
}

export function toEvaluationWire(one: StoredEvaluation) {
  return {
    evaluation_id: one.evaluationId,
    agent_id: one.agentId,
    tool: one.tool,
    passed: one.passed,
    counts: one.counts,
    gates: one.gates.map(toGateWire),
    total_latency_ms: one.totalLatencyMs,
    latency_ms: one.latencyMs,
    source: one.source,
    known_as: one.knownAs,
    direction: one.direction,
    suite_hash: one.suiteHash,
    sample_rate: one.sampleRate,
    model: one.model,
    version: one.version,
    session_id: one.sessionId,
    trace_id: one.traceId,
    tags: one.tags,
    received_at: toTime(one.receivedAt),
    occurred_at: toTime(one.occurredAt),
    voided: one.voided && { at: toTime(one.voided.at), reason: one.voided.reason },
  };
}
