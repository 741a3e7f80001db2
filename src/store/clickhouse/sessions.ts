/** What telemetry told of sessions. A session is one range of the tables, and joined by its readers. */
import { randomUUID } from 'node:crypto';
import { RenownError } from '../../core/errors.ts';
import type { ArrivalTimes } from '../arrival-times.ts';
import { inOrder, reportsIn } from '../event-reports.ts';
import type { BriefFilter, EventReport, SessionBrief, Sessions, Telemetry } from '../store.ts';
import { Conditions } from './conditions.ts';
import type { Connection } from './connection.ts';
import {
  type EventRow,
  fromEventRow,
  placeOf,
  REPORT_COLUMNS,
  readHeads,
  toEventRow,
  toHeadRow,
} from './session-rows.ts';
import { meetAgents, type SessionContext } from './signals.ts';

interface Delivery {
  orgId: string;
  telemetry: Telemetry;
}

export function createSessions(context: SessionContext & { deliveryTimes: ArrivalTimes }): Sessions {
  const { connection, queue, deliveryTimes } = context;
  const write = async (deliveries: readonly Delivery[]) => {
    await appendTelemetry(connection, deliveries, deliveryTimes.next());
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
      const { sql: where, parameters } = toConditions(filter, cursor);
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

function toConditions({ agentId, from, to }: BriefFilter, cursor: string | null | undefined) {
  const conditions = new Conditions();
  conditions.where('agentId = {agentId:String}', { agentId });
  conditions.where('lastAt >= {from:Float64}', { from });
  conditions.where('lastAt < {to:Float64}', { to });
  if (cursor != null) {
    const [, at, id] = /^(-?\d+(?:\.\d+)?):(.*)$/s.exec(cursor) ?? [];
    if (at === undefined || id === undefined) {
      throw new RenownError('invalid_request', 'The cursor is none that this list gave out.');
    }
    conditions.where('(lastAt, sessionId) < ({at:Float64}, {id:String})', { at: Number(at), id });
  }
  return conditions;
}
