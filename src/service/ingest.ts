/** Finished evaluations from other doors, as many as a thousand at a time. One bad event refuses all of them. */
import type { IngestEvent } from '../core/contract/evaluation.ts';
import { toReputationSummary } from '../core/contract/reputation.ts';
import { Issues } from '../core/issues.ts';
import { doesCount, isPassed } from '../gates/evaluation-result.ts';
import type { Evaluation } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';

export async function ingest(
  { store, clock, hub, settings }: ServiceContext,
  { orgId }: Caller,
  { events, signed }: { events: readonly IngestEvent[]; signed: boolean },
) {
  checkVerdicts(events);
  const now = clock();
  const { counting_kinds: kinds } = await settings.read(orgId);
  const counting = kinds.includes(signed ? 'signed' : 'reported');
  const batch = events.map((event) => toEvaluation(event, now, { signed, counting }));
  const { accepted, duplicates, reputations } = await store.evaluations.append(orgId, batch);
  hub.changed(orgId, [...reputations.keys()]);
  const summaries: [string, object][] = [];
  for (const [agentId, reputation] of reputations) summaries.push([agentId, toReputationSummary(reputation)]);
  return { accepted, duplicates, reputations: Object.fromEntries(summaries) };
}

/** The whole must follow from its parts, or the two halves of a record would contradict each other for ever. */
function checkVerdicts(events: readonly IngestEvent[]): void {
  const issues = new Issues();
  events.forEach(({ passed, gates }, i) => {
    if (passed !== isPassed(gates)) {
      issues.add(`events[${i}].passed`, `must be ${!passed}: that is what the outcomes of its gates come to`);
    }
  });
  issues.throwIfAny();
}

function toEvaluation(
  event: IngestEvent,
  now: number,
  { signed, counting }: { signed: boolean; counting: boolean },
): Evaluation {
  const direction = event.direction ?? null;
  return {
    evaluationId: event.evaluation_id,
    agentId: event.agent_id,
    tool: event.tool ?? null,
    passed: event.passed,
    counts: counting && doesCount(event.gates) && !isForeignText(event),
    gates: event.gates.map(({ name, outcome, latency_ms, reason }) => ({
      name,
      outcome,
      latencyMs: latency_ms,
      reason: reason ?? null,
    })),
    totalLatencyMs: event.total_latency_ms,
    latencyMs: event.latency_ms ?? null,
    source: event.source ?? 'api',
    knownAs: signed ? 'signed' : 'reported',
    direction,
    suiteHash: event.suite_hash ?? null,
    sampleRate: event.sample_rate ?? 1,
    model: event.model ?? null,
    version: event.version ?? null,
    sessionId: event.session_id ?? null,
    traceId: event.trace_id ?? null,
    tags: event.tags ?? [],
    occurredAt: event.timestamp ?? now,
  };
}

/** What the injection gate finds in an answer was written by somebody else: a web page must not ruin an agent. */
function isForeignText({ direction, gates }: IngestEvent): boolean {
  if (direction !== 'response') return false;
  const failed = gates.filter(({ outcome }) => outcome === 'failed');
  return failed.length > 0 && failed.every(({ name }) => name === 'injection');
}
