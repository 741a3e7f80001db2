/**
 * Verdicts as OpenTelemetry events, `gen_ai.evaluation.result` of the semantic conventions for generative AI: log records in
 * the JSON form of OTLP. Names, numbers and short reasons alone; there is no payload that could go along.
 */
import type { StoredEvaluation } from '../../store/store.ts';
import { attributesOf, toNano } from './log-record.ts';

export function toVerdictRecord(orgId: string, one: StoredEvaluation): object {
  const failed = one.gates.find(({ outcome }) => outcome === 'failed');
  const broken = one.gates.find(({ outcome }) => outcome === 'timeout' || outcome === 'error');
  return {
    timeUnixNano: toNano(one.occurredAt),
    observedTimeUnixNano: toNano(one.receivedAt),
    eventName: 'gen_ai.evaluation.result',
    severityNumber: one.passed ? 9 : 13,
    ...(one.traceId !== null && /^[0-9a-f]{32}$/.test(one.traceId) && { traceId: one.traceId }),
    attributes: attributesOf({
      'gen_ai.evaluation.name': 'renown.gates',
      'gen_ai.evaluation.score.value': one.passed ? 1 : 0,
      'gen_ai.evaluation.score.label': one.passed ? 'pass' : 'fail',
      'gen_ai.evaluation.explanation': failed && `${failed.name}: ${failed.reason ?? 'failed'}`,
      'error.type': failed ? undefined : broken?.outcome,
      'gen_ai.agent.id': one.agentId,
      'gen_ai.conversation.id': one.sessionId,
      'gen_ai.request.model': one.model,
      'gen_ai.tool.name': one.tool,
      'renown.org.id': orgId,
      'renown.evaluation.id': one.evaluationId,
      'renown.evaluation.known_as': one.knownAs,
      'renown.evaluation.counts': one.counts,
      'renown.suite.hash': one.suiteHash,
    }),
  };
}
