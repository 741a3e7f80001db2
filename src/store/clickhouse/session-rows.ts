/** Rows of what telemetry told, as ClickHouse has them. */
import { joinHeads, markOf } from '../event-reports.ts';
import type { EventReport, StoredHead } from '../store.ts';
import type { Connection, Parameters } from './connection.ts';

/** Later than all times, so that the earliest of several is the one that somebody knows. */
const NO_TIME = 9e15;

export interface HeadRow {
  org_id: string;
  session_id: string;
  masque: string;
  agent_rank: number;
  agent_id: string;
  entrypoint: string;
  dialects: readonly string[];
  first_at: number;
  last_at: number;
  ended: number;
  detailed: number;
  received_at: number;
}

export const HEAD_COLUMNS =
  'org_id, session_id, masque, agent_rank, agent_id, entrypoint, dialects, first_at, last_at, ended, detailed, received_at';

export interface EventRow {
  org_id: string;
  session_id: string;
  masque: string;
  fingerprint: number;
  report: number;
  kind: number;
  outcome: number;
  source: number;
  name: string;
  at: number;
  amount: number | null;
  cost: number | null;
  tokens: readonly (number | null)[];
}

export const REPORT_COLUMNS = `org_id, session_id, masque, toFloat64(session_events.fingerprint) AS fingerprint,
  toFloat64(session_events.report) AS report, kind, outcome, source, name, at, amount, cost, tokens`;

/** Joined, in the order of their sessions and masques; all of one org. */
export async function readHeads(
  connection: Connection,
  where: string,
  parameters: Parameters,
): Promise<StoredHead[]> {
  const rows = await connection.query<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM session_heads WHERE ${where}`,
    parameters,
  );
  return joinHeads(rows.map(fromHeadRow));
}

export function placeOf({ sessionId, masque }: { sessionId: string; masque: string }): string {
  return `${sessionId}\n${masque}`;
}

export function toHeadRow(orgId: string, head: Readonly<StoredHead>): HeadRow {
  return {
    org_id: orgId,
    session_id: head.sessionId,
    masque: head.masque,
    agent_rank: head.agentRank,
    agent_id: head.agent,
    entrypoint: head.entrypoint,
    dialects: head.dialects,
    first_at: head.firstAt === 0 ? NO_TIME : head.firstAt,
    last_at: head.lastAt,
    ended: Number(head.ended),
    detailed: Number(head.detailed),
    received_at: head.receivedAt,
  };
}

export function fromHeadRow(row: HeadRow): StoredHead {
  return {
    sessionId: row.session_id,
    masque: row.masque,
    agent: row.agent_id,
    agentRank: row.agent_rank,
    dialects: [...row.dialects].sort(),
    entrypoint: row.entrypoint,
    firstAt: row.first_at === NO_TIME ? 0 : row.first_at,
    lastAt: row.last_at,
    ended: row.ended === 1,
    detailed: row.detailed === 1,
    receivedAt: row.received_at,
  };
}

export function toEventRow(
  orgId: string,
  event: EventReport & { sessionId: string; masque: string },
): EventRow {
  return {
    org_id: orgId,
    session_id: event.sessionId,
    masque: event.masque,
    fingerprint: event.fingerprint,
    report: markOf(event),
    kind: event.kind,
    outcome: event.outcome,
    source: event.source,
    name: event.name,
    at: event.at,
    amount: event.amount,
    cost: event.cost,
    tokens: event.tokens ?? [],
  };
}

export function fromEventRow(row: EventRow): EventReport {
  return {
    fingerprint: row.fingerprint,
    kind: row.kind,
    outcome: row.outcome,
    source: row.source,
    name: row.name,
    at: row.at,
    amount: row.amount,
    cost: row.cost,
    tokens: row.tokens.length === 0 ? null : row.tokens,
  };
}
