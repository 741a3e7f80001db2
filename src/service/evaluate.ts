/** One output through the gates, into the ledger, and back with where its agent stands. */
import type { EvaluateRequest } from '../core/contract/evaluation.ts';
import { toReputationSummary } from '../core/contract/reputation.ts';
import { RenownError } from '../core/errors.ts';
import { Issues } from '../core/issues.ts';
import { LATENCY_RANGE, type Reputation } from '../core/reputation.ts';
import { doesCount, type EvaluationResult } from '../gates/evaluation-result.ts';
import type { Evaluation, StoredEvaluation } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';
import { toGateWire } from './evaluation-wire.ts';

/** A known evaluation id answers with the stored verdict, and runs no gate. */
export async function evaluate(context: ServiceContext, { orgId }: Caller, request: EvaluateRequest) {
  const { store, suites, hub } = context;
  checkLatency(request.latency_ms);
  if (request.evaluation_id != null) {
    const known = await store.evaluations.get(orgId, request.evaluation_id);
    if (known) return answerAgain(context, orgId, known);
  }
  const { engine } = await suites.read(orgId);
  const result = await engine.evaluate(toGateContext(context, request));
  const { counting_kinds: kinds } = await context.settings.read(orgId);
  const evaluation = toEvaluation(request, result, kinds.includes('server'));
  const { duplicates, reputations } = await store.evaluations.append(orgId, [evaluation]);
  if (duplicates.length > 0) {
    // Somebody else sent the same id while the gates ran.
    const known = await store.evaluations.get(orgId, evaluation.evaluationId);
    if (known) return answerAgain(context, orgId, known);
  }
  hub.changed(orgId, [evaluation.agentId]);
  return toAnswer(evaluation, reputations.get(evaluation.agentId));
}

async function answerAgain({ store }: ServiceContext, orgId: string, known: StoredEvaluation) {
  return toAnswer(known, await store.evaluations.reputation(orgId, known.agentId));
}

function toAnswer(evaluation: Evaluation, reputation: Reputation | undefined) {
  if (!reputation)
    throw new RenownError('internal', 'The ledger took an evaluation and has no score for its agent.');
  return {
    evaluation_id: evaluation.evaluationId,
    passed: evaluation.passed,
    gates: evaluation.gates.map(toGateWire),
    total_latency_ms: evaluation.totalLatencyMs,
    reputation: toReputationSummary(reputation),
  };
}

function toGateContext({ newId }: ServiceContext, request: EvaluateRequest) {
  const { agent_id, output, input, tool, latency_ms, session_id, trace_id, evaluation_id } = request;
  return {
    agent_id,
    output,
    input,
    tool: tool ?? null,
    latency_ms: latency_ms ?? null,
    session_id: session_id ?? null,
    trace_id: trace_id ?? null,
    evaluation_id: evaluation_id ?? newId(),
  };
}

/** What of a result and its request is kept: no payload, and no details. */
function toEvaluation(request: EvaluateRequest, result: EvaluationResult, counting: boolean): Evaluation {
  return {
    evaluationId: result.evaluation_id,
    agentId: result.agent_id,
    tool: result.tool,
    passed: result.passed,
    counts: counting && doesCount(result.gates),
    gates: result.gates.map(({ name, outcome, latency_ms, reason }) => ({
      name,
      outcome,
      latencyMs: latency_ms,
      reason: reason ?? null,
    })),
    totalLatencyMs: result.total_latency_ms,
    latencyMs: request.latency_ms ?? null,
    source: 'api',
    knownAs: 'server',
    direction: null,
    suiteHash: result.suite_hash ?? null,
    sampleRate: 1,
    model: request.model ?? null,
    version: request.version ?? null,
    sessionId: request.session_id ?? null,
    traceId: request.trace_id ?? null,
    tags: request.tags ?? [],
    occurredAt: result.timestamp,
  };
}

/** Before any gate runs, and under the name the caller knows. */
function checkLatency(latencyMs: number | null | undefined): void {
  if (latencyMs == null) return;
  const issues = new Issues();
  issues.number(latencyMs, 'latency_ms', LATENCY_RANGE);
  issues.throwIfAny();
}
