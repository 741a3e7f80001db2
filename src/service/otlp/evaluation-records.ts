/**
 * Verdicts as OpenTelemetry events, `gen_ai.evaluation.result` of the semantic conventions for generative AI: log records in
 * the JSON form of OTLP. Names, numbers and short reasons alone; there is no payload that could go along.
 */
import type { StoredEvaluation } from '../../store/store.ts';

export interface ExportedEvaluation {
  orgId: string;
  evaluation: StoredEvaluation;
}

/** The body of one `POST /v1/logs`. */
export function toLogsRequest(items: readonly ExportedEvaluation[], version: string): object {
  const logRecords = items.map(({ orgId, evaluation }) => toLogRecord(orgId, evaluation));
  return {
    resourceLogs: [
      {
        resource: { attributes: attributesOf({ 'service.name': 'renown', 'service.version': version }) },
        scopeLogs: [{ scope: { name: 'renown', version }, logRecords }],
      },
    ],
  };
}

function toLogRecord(orgId: string, one: StoredEvaluation): object {
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

type Value = string | number | boolean | null | undefined;

/** What is not known is left out. */
function attributesOf(values: Record<string, Value>): object[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: toAnyValue(value) }],
  );
}

function toAnyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'number' ? { doubleValue: value } : { boolValue: value };
}

/** Nanoseconds are beyond what a number holds exactly; OTLP has them as text. */
function toNano(epochMs: number): string {
  return `${BigInt(Math.trunc(epochMs)) * 1_000_000n}`;
}
