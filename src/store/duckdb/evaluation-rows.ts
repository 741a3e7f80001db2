/** An evaluation as a row of the ledger, and back. Enumerations are stored as their position in these lists. */
import { BOOLEAN, DOUBLE, INTEGER, UTINYINT, VARCHAR } from '@duckdb/node-api';
import { KINDS } from '../../core/reputation.ts';
import type { Evaluation, GateVerdict, StoredEvaluation } from '../store.ts';
import type { Names } from './names.ts';
import type { AppendTable, Columns } from './transaction.ts';

const SOURCES = ['sdk', 'proxy', 'api'] as const;
const DIRECTIONS = ['request', 'response'] as const;

// biome-ignore format: in the order of the columns, as the migration has them.
export const EVALUATIONS: AppendTable = {
  name: 'evaluations',
  types: [
    DOUBLE, DOUBLE, INTEGER, VARCHAR, INTEGER, BOOLEAN, BOOLEAN, VARCHAR, DOUBLE, DOUBLE, UTINYINT, UTINYINT,
    UTINYINT, INTEGER, DOUBLE, INTEGER, INTEGER, VARCHAR, VARCHAR, VARCHAR, DOUBLE, DOUBLE,
  ],
};

export const VOIDS: AppendTable = { name: 'voids', types: [DOUBLE, DOUBLE, VARCHAR] };

/** What only the ledger knows of an evaluation. */
export interface Place {
  seq: number;
  fingerprint: number;
  agentNo: number;
  receivedAt: number;
  toolNo: number | null;
  suiteNo: number | null;
  modelNo: number | null;
  versionNo: number | null;
}

/** Adds an evaluation to the columns of the table. One statement for each, so that each list keeps to one kind of value. */
export function pushRow(columns: Columns, one: Evaluation, place: Place): void {
  columns[0]?.push(place.seq);
  columns[1]?.push(place.fingerprint);
  columns[2]?.push(place.agentNo);
  columns[3]?.push(one.evaluationId);
  columns[4]?.push(place.toolNo);
  columns[5]?.push(one.passed);
  columns[6]?.push(one.counts);
  columns[7]?.push(toGatesText(one.gates));
  columns[8]?.push(one.totalLatencyMs);
  columns[9]?.push(one.latencyMs);
  columns[10]?.push(SOURCES.indexOf(one.source));
  columns[11]?.push(KINDS.indexOf(one.knownAs));
  columns[12]?.push(one.direction === null ? null : DIRECTIONS.indexOf(one.direction));
  columns[13]?.push(place.suiteNo);
  columns[14]?.push(one.sampleRate);
  columns[15]?.push(place.modelNo);
  columns[16]?.push(place.versionNo);
  columns[17]?.push(one.sessionId);
  columns[18]?.push(one.traceId);
  columns[19]?.push(one.tags.length === 0 ? null : JSON.stringify(one.tags));
  columns[20]?.push(place.receivedAt);
  columns[21]?.push(one.occurredAt);
}

/** `e` is the evaluation, `v` what voided it. */
export const STORED_COLUMNS = `e.seq AS seq, e.agent_no AS "agentNo", e.evaluation_id AS "evaluationId", e.tool_no AS "toolNo",
  e.passed, e.counts, e.gates, e.total_latency_ms AS "totalLatencyMs", e.latency_ms AS "latencyMs", e.source,
  e.known_as AS "knownAs", e.direction, e.suite_no AS "suiteNo", e.sample_rate AS "sampleRate", e.model_no AS "modelNo",
  e.version_no AS "versionNo",
  e.session_id AS "sessionId", e.trace_id AS "traceId", e.tags, e.received_at AS "receivedAt",
  e.occurred_at AS "occurredAt", v.voided_at AS "voidedAt", v.reason AS "voidReason"`;

type Same =
  | 'evaluationId'
  | 'passed'
  | 'counts'
  | 'totalLatencyMs'
  | 'latencyMs'
  | 'sampleRate'
  | 'sessionId'
  | 'traceId'
  | 'receivedAt'
  | 'occurredAt';

export interface StoredRow extends Pick<StoredEvaluation, Same> {
  seq: number;
  agentNo: number;
  toolNo: number | null;
  suiteNo: number | null;
  modelNo: number | null;
  versionNo: number | null;
  gates: string;
  source: number;
  knownAs: number;
  direction: number | null;
  tags: string | null;
  voidedAt: number | null;
  voidReason: string | null;
}

export function fromRow(row: StoredRow, agentId: string, names: Names): StoredEvaluation {
  const { seq: _s, agentNo: _a, toolNo, suiteNo, modelNo, versionNo, voidedAt, voidReason, ...same } = row;
  return {
    ...same,
    agentId,
    tool: names.textOf(toolNo),
    suiteHash: names.textOf(suiteNo),
    model: names.textOf(modelNo),
    version: names.textOf(versionNo),
    gates: fromGatesText(row.gates),
    source: SOURCES[row.source] ?? 'api',
    knownAs: KINDS[row.knownAs] ?? 'reported',
    direction: row.direction === null ? null : (DIRECTIONS[row.direction] ?? null),
    tags: row.tags === null ? [] : JSON.parse(row.tags),
    voided: voidedAt === null ? null : { at: voidedAt, reason: voidReason ?? '' },
  };
}

export function sourceNumber(source: string): number {
  return SOURCES.indexOf(source as (typeof SOURCES)[number]);
}

/**
 * Gates as lists, `["pii","passed",0.02]` or with a reason after it, name first: half the size of objects. Put together
 * by hand, because this is done for every gate of every evaluation and JSON.stringify takes three times as long.
 */
function toGatesText(gates: readonly GateVerdict[]): string {
  let text = '[';
  for (const { name, outcome, latencyMs, reason } of gates) {
    if (text.length > 1) text += ',';
    text += `[${quoted(name)},"${outcome}",${latencyMs}`;
    text += reason === null ? ']' : `,${quoted(reason)}]`;
  }
  return `${text}]`;
}

/** As JSON has it; most names need no escaping. */
function quoted(text: string): string {
  return /^[\w .:/-]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

function fromGatesText(text: string): GateVerdict[] {
  const gates = JSON.parse(text) as [string, GateVerdict['outcome'], number, string?][];
  return gates.map(([name, outcome, latencyMs, reason = null]) => ({ name, outcome, latencyMs, reason }));
}

/** What stands in the text of every evaluation in which a gate of this name took part, and of no other: no text inside
 * can look like it, because its quotes would be escaped. */
export function gateMark(name: string): string {
  return `[${JSON.stringify(name)},`;
}
