import type {
  AuditEntry,
  Evaluation,
  ReputationEvent,
  SignalReport,
  StoredSessionScore,
  StoredVerdict,
} from '../../src/store/store.ts';
import type { SessionEvent } from '../../src/telemetry/session-event.ts';

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

/** The id of the event that a test calls by a number. */
export function eventIdOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

export function reputationEvent(n: number, given: Partial<ReputationEvent> = {}): ReputationEvent {
  return {
    eventId: eventIdOf(n),
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

/** A report on a trace of session s1, but for what is given. */
export function signalReport(traceId: string, given: Partial<SignalReport> = {}): SignalReport {
  return {
    sessionId: 's1',
    traceId,
    agentId: null,
    signals: { confidence: 0.5 },
    startedAt: null,
    tags: [],
    source: 'test',
    ...given,
  };
}

export function sessionScore(sessionId: string, given: Partial<StoredSessionScore> = {}): StoredSessionScore {
  return {
    runId: 'run-1',
    sessionId,
    metric: 'agent_reliability',
    agentId: null,
    tags: [],
    score: 0.75,
    threshold: 0.5,
    passed: true,
    evidence: 'partial',
    totalTraces: 3,
    tracesEvaluated: 2,
    flaggedTraces: 1,
    signalCounts: { confidence: 2, loop_detection: 0, tool_correctness: 1, coherence: 0 },
    weights: { confidence: 1, loop_detection: 1, tool_correctness: 0.8, coherence: 1 },
    revision: 3,
    sessionAt: 1_780_000_000_000,
    computedAt: 1_780_000_000_500,
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

/** Something that telemetry tells of a session: that it was alive, but for what is given. */
export function told(sessionId: string, given: Partial<SessionEvent> = {}): SessionEvent {
  const at = given.at ?? 1_780_000_000_000;
  return {
    kind: 'other',
    sessionId,
    agent: { name: 'reviewer', rank: 0 },
    dialect: 'claude-code',
    masque: '',
    entrypoint: '',
    at,
    since: at,
    detailed: true,
    ...given,
  };
}

export function verdict(sessionId: string, given: Partial<StoredVerdict> = {}): StoredVerdict {
  return {
    sessionId,
    masque: 'none',
    agentId: 'reviewer',
    entrypoint: '',
    kindOfWork: 'writing',
    startedAt: 1_780_000_000_000,
    endedAt: 1_780_000_060_000,
    tools: 4,
    composite: 6.5,
    recommendation: 'review',
    revision: 1,
    receivedAt: 1_780_000_000_000,
    judgedAt: 1_780_000_100_000,
    details: {},
    ...given,
  };
}
