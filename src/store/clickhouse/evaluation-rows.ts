/** An evaluation as a row of the ledger, and back. */
import type { Evaluation, StoredEvaluation } from '../store.ts';
import type { Position } from './cursor.ts';

/** What is appended: an evaluation as a caller brings it, or one that is restored with what the ledger knew of it. */
export type Incoming = Evaluation & Partial<Pick<StoredEvaluation, 'receivedAt' | 'voided'>>;

/** As JSONEachRow has it; the names are those of the columns. */
export interface EvaluationRow {
  org_id: string;
  agent_id: string;
  received_at: number;
  place: number;
  evaluation_id: string;
  tool: string | null;
  passed: boolean;
  counts: boolean;
  gates: { name: string; outcome: string; latency_ms: number; reason: string | null }[];
  total_latency_ms: number;
  latency_ms: number | null;
  source: string;
  known_as: string;
  direction: string | null;
  suite_hash: string | null;
  sample_rate: number;
  model: string | null;
  version: string | null;
  session_id: string | null;
  trace_id: string | null;
  tags: readonly string[];
  occurred_at: number;
}

export interface VoidRow {
  org_id: string;
  agent_id: string;
  evaluation_id: string;
  received_at: number;
  voided_at: number;
  reason: string;
}

export function toRow(orgId: string, one: Evaluation, place: { at: number; place: number }): EvaluationRow {
  return {
    org_id: orgId,
    agent_id: one.agentId,
    received_at: place.at,
    place: place.place,
    evaluation_id: one.evaluationId,
    tool: one.tool,
    passed: one.passed,
    counts: one.counts,
    gates: one.gates.map(({ name, outcome, latencyMs, reason }) => ({
      name,
      outcome,
      latency_ms: latencyMs,
      reason,
    })),
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
    occurred_at: one.occurredAt,
  };
}

/** The columns of an evaluation, but for its org. Int64 comes as text or as a number, as the server is set up. */
export const EVALUATION_COLUMNS = `agent_id, toFloat64(received_at) AS received_at, place, evaluation_id, tool, passed, counts,
  gates, total_latency_ms, latency_ms, source, known_as, direction, suite_hash, sample_rate, model, version, session_id,
  trace_id, tags, occurred_at`;

/** A row with what voided it: a list of none or one. */
export type StoredRow = Omit<EvaluationRow, 'org_id'> & { void: [at: number, reason: string][] };

export function fromRow(row: StoredRow): StoredEvaluation {
  const [voided] = row.void;
  return {
    evaluationId: row.evaluation_id,
    agentId: row.agent_id,
    tool: row.tool,
    passed: row.passed,
    counts: row.counts,
    gates: row.gates.map(({ name, outcome, latency_ms, reason }) => ({
      name,
      outcome: outcome as StoredEvaluation['gates'][number]['outcome'],
      latencyMs: latency_ms,
      reason,
    })),
    totalLatencyMs: row.total_latency_ms,
    latencyMs: row.latency_ms,
    source: row.source as StoredEvaluation['source'],
    knownAs: row.known_as as StoredEvaluation['knownAs'],
    direction: row.direction as StoredEvaluation['direction'],
    suiteHash: row.suite_hash,
    sampleRate: row.sample_rate,
    model: row.model,
    version: row.version,
    sessionId: row.session_id,
    traceId: row.trace_id,
    tags: row.tags,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    voided: voided ? { at: voided[0], reason: voided[1] } : null,
  };
}

export function positionOf(row: Pick<EvaluationRow, 'received_at' | 'place' | 'evaluation_id'>): Position {
  return { at: row.received_at, place: row.place, id: row.evaluation_id };
}
