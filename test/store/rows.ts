import type { AuditEntry, Evaluation, ReputationEvent } from '../../src/store/store.ts';

/** An evaluation that passed, but for what is given. */
export function evaluation(evaluationId: string, given: Partial<Evaluation> = {}): Evaluation {
  return {
    evaluationId,
    agentId: 'reviewer',
    tool: null,
    passed: true,
    counts: true,
    gates: [{ name: 'content', outcome: 'passed', latencyMs: 0.02, reason: null }],
    totalLatencyMs: 0.5,
    latencyMs: null,
    source: 'api',
    knownAs: 'reported',
    direction: null,
    suiteHash: null,
    sampleRate: 1,
    model: null,
    version: null,
    sessionId: null,
    traceId: null,
    tags: [],
    occurredAt: 1_700_000_000_000,
    ...given,
  };
}

/** So many evaluations with ids that begin with the prefix. */
export function evaluations(prefix: string, count: number, given: Partial<Evaluation> = {}): Evaluation[] {
  return Array.from({ length: count }, (_, i) => evaluation(`${prefix}-${i}`, given));
}

export function reputationEvent(eventId: string, given: Partial<ReputationEvent> = {}): ReputationEvent {
  return {
    eventId,
    identityId: 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0001',
    timestamp: 1_780_000_000_000,
    category: 'task_quality',
    eventType: 'task_completed',
    scoreDelta: 0.5,
    confidence: 1,
    referenceType: '',
    referenceId: '',
    attributes: {},
    revision: 0,
    ...given,
  };
}

export function audited(i: number): AuditEntry {
  return {
    auditId: `a${i}`,
    at: 1_780_000_000_000 + i,
    actor: 'cli',
    action: 'test.done',
    target: `t${i}`,
    note: 'a "note"',
  };
}
