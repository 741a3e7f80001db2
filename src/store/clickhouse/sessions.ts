/** What telemetry told of sessions. A session is one range of the tables, and joined by its readers. */
import { randomUUID } from 'node:crypto';
import { RenownError } from '../../core/errors.ts';
import { inOrder, joinHeads, markOf, reportsIn } from '../event-reports.ts';
import type { BriefFilter, EventReport, SessionBrief, Sessions, StoredHead, Telemetry } from '../store.ts';
import type { Connection, Parameters } from './connection.ts';
import { meetAgents, type SessionContext } from './signals.ts';

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

interface Delivery {
  orgId: string;
  telemetry: Telemetry;
}

export function createSessions(context: SessionContext): Sessions {
  const { connection, queue, sessionArrival } = context;
  const write = async (deliveries: readonly Delivery[]) => {
    const receivedAt = sessionArrival.next().at;
    await appendTelemetry(connection, deliveries, receivedAt);
    return deliveries.map(() => undefined);
  };
  return {
    append: (orgId, telemetry) =>
      queue.append(write, { orgId, telemetry }, telemetry.events.count + telemetry.sessions.length),

    async read(orgId, sessionIds) {
      const of = 'org_id = {orgId:String} AND session_id IN {ids:Array(String)}';
      const heads = await readHeads(connection, of, { orgId, ids: sessionIds });
      const rows = await connection.query<EventRow>(
        `SELECT DISTINCT ${REPORT_COLUMNS} FROM session_events WHERE ${of}`,
        { orgId, ids: sessionIds },
      );
      const reports = new Map<string, EventReport[]>(heads.map((head) => [placeOf(head), []]));
      for (const row of rows) {
        const place = placeOf({ sessionId: row.session_id, masque: row.masque });
        reports.get(place)?.push(fromEventRow(row));
      }
      return heads.map((head) => ({ head, events: inOrder(reports.get(placeOf(head)) ?? []) }));
    },

    async list(orgId, filter, { cursor, limit }) {
      const { where, parameters } = conditions(filter, cursor);
      const rows = await connection.query<SessionBrief>(
        `SELECT * FROM (
           SELECT session_id AS sessionId, max(last) AS lastAt,
             if(countIf(agent != '') = 0, NULL, argMinIf(agent, (-agent_order, agent), agent != '')) AS agentId
           FROM (
             SELECT session_id, agent_id AS agent, toInt32(agent_rank) AS agent_order, toFloat64(session_heads.last_at) AS last
             FROM session_heads WHERE org_id = {orgId:String}
             UNION ALL
             SELECT session_id, ifNull(agent_id, ''), toInt32(-1), coalesce(started_at, toFloat64(received_at))
             FROM signal_reports WHERE org_id = {orgId:String}
             UNION ALL
             SELECT session_id, ifNull(agent_id, ''), toInt32(-1), ended_at
             FROM session_verdicts WHERE org_id = {orgId:String}
           ) GROUP BY session_id
         ) WHERE ${where} ORDER BY lastAt DESC, sessionId DESC LIMIT ${limit + 1}`,
        { orgId, ...parameters },
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, nextCursor: last && rows.length > limit ? `${last.lastAt}:${last.sessionId}` : null };
    },

    async due(quietSince, limit) {
      return connection.query<{ orgId: string; sessionId: string }>(
        `SELECT org_id AS orgId, session_id AS sessionId FROM (
           SELECT org_id, session_id, max(session_heads.received_at) AS told_to, max(session_heads.ended) AS is_over
           FROM session_heads GROUP BY org_id, session_id
         ) AS told LEFT JOIN (
           SELECT org_id, session_id, max(session_verdicts.received_at) AS judged_to
           FROM session_verdicts GROUP BY org_id, session_id
         ) AS judged USING (org_id, session_id)
         WHERE told_to > judged_to AND (is_over = 1 OR told_to <= {quietSince:Float64})
         ORDER BY told_to LIMIT ${Number(limit)}`,
        { quietSince },
      );
    },
  };
}

async function appendTelemetry(
  connection: Connection,
  deliveries: readonly Delivery[],
  receivedAt: number,
): Promise<void> {
  const heads = deliveries.flatMap(({ orgId, telemetry }) =>
    telemetry.sessions.map((head) => toHeadRow(orgId, { ...head, receivedAt })),
  );
  for (const orgId of new Set(deliveries.map((delivery) => delivery.orgId))) {
    const named = heads.filter((head) => head.org_id === orgId && head.agent_id !== '');
    await meetAgents(connection, orgId, named);
  }
  const events = deliveries.flatMap(({ orgId, telemetry }) =>
    Array.from(reportsIn(telemetry), ({ head, report }) => toEventRow(orgId, { ...head, ...report })),
  );
  // Events first: a head that is there promises them.
  await connection.insert('session_events', events, randomUUID());
  await connection.insert('session_heads', heads, randomUUID());
}

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

function conditions({ agentId, from, to }: BriefFilter, cursor: string | null | undefined) {
  const conditions = ['true'];
  const parameters: Parameters = {};
  const where = (condition: string, values: Parameters) => {
    if (Object.values(values).includes(undefined)) return;
    conditions.push(condition);
    Object.assign(parameters, values);
  };
  where('agentId = {agentId:String}', { agentId });
  where('lastAt >= {from:Float64}', { from });
  where('lastAt < {to:Float64}', { to });
  if (cursor != null) {
    const [, at, id] = /^(-?\d+(?:\.\d+)?):(.*)$/s.exec(cursor) ?? [];
    if (at === undefined || id === undefined) {
      throw new RenownError('invalid_request', 'The cursor is none that this list gave out.');
    }
    where('(lastAt, sessionId) < ({at:Float64}, {id:String})', { at: Number(at), id });
  }
  return { where: conditions.join(' AND '), parameters };
}
