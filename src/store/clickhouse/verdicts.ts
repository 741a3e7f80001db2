/** How sessions were judged. Of each session the rows of the highest revision count, and of equal ones the first. */
import { randomUUID } from 'node:crypto';
import type { StoredVerdict, VerdictFilter, Verdicts } from '../store.ts';
import { Conditions } from './conditions.ts';
import type { Connection } from './connection.ts';
import type { SessionContext } from './signals.ts';

export interface VerdictRow {
  org_id: string;
  session_id: string;
  masque: string;
  revision: number;
  agent_id: string | null;
  entrypoint: string;
  kind_of_work: string;
  started_at: number;
  ended_at: number;
  tools: number;
  composite: number;
  recommendation: string;
  received_at: number;
  judged_at: number;
  details: string;
}

export const LATEST_VERDICTS = `SELECT * FROM session_verdicts
  WHERE (org_id, session_id, revision) IN (
    SELECT org_id, session_id, max(session_verdicts.revision) FROM session_verdicts GROUP BY org_id, session_id
  ) ORDER BY org_id, session_id, masque, judged_at LIMIT 1 BY org_id, session_id, masque`;

export function createVerdicts({ connection, queue }: SessionContext): Verdicts {
  return {
    append: (orgId, batch) => queue.run(() => appendVerdicts(connection, { orgId, batch })),

    async latestOf(orgId, sessionIds) {
      const rows = await connection.query<VerdictRow>(
        `SELECT * FROM session_verdicts WHERE org_id = {orgId:String} AND session_id IN {ids:Array(String)}
         ORDER BY judged_at LIMIT 1 BY session_id, revision, masque`,
        { orgId, ids: sessionIds },
      );
      const revisions = new Map<string, number>();
      for (const { session_id, revision } of rows) {
        revisions.set(session_id, Math.max(revisions.get(session_id) ?? 0, revision));
      }
      return rows
        .filter((row) => row.revision === revisions.get(row.session_id))
        .map(fromVerdictRow)
        .sort(byBeginning);
    },

    async list(orgId, filter, limit) {
      const { sql: where, parameters } = toConditions(filter);
      const rows = await connection.query<VerdictRow>(
        `SELECT * FROM (${ofOrg(LATEST_VERDICTS)}) AS verdicts WHERE ${where}
         ORDER BY started_at DESC, session_id DESC, masque DESC LIMIT ${Number(limit)}`,
        { orgId, ...parameters },
      );
      return rows.map(fromVerdictRow);
    },
  };
}

/** Both looks into the table at one org alone, which is one range of it. */
function ofOrg(latest: string): string {
  return latest
    .replace('WHERE (org_id', 'WHERE org_id = {orgId:String} AND (org_id')
    .replace('FROM session_verdicts GROUP', 'FROM session_verdicts WHERE org_id = {orgId:String} GROUP');
}

export async function appendVerdicts(
  connection: Connection,
  { orgId, batch }: { orgId: string; batch: readonly StoredVerdict[] },
): Promise<{ accepted: number; duplicates: number }> {
  const found = await connection.query<Pick<VerdictRow, 'session_id' | 'masque' | 'revision'>>(
    `SELECT session_id, masque, revision FROM session_verdicts
     WHERE org_id = {orgId:String} AND session_id IN {ids:Array(String)}`,
    { orgId, ids: [...new Set(batch.map(({ sessionId }) => sessionId))] },
  );
  const known = new Set(found.map(keyOf));
  const rows: VerdictRow[] = [];
  for (const verdict of batch) {
    const row = toVerdictRow(orgId, verdict);
    if (known.has(keyOf(row))) continue;
    known.add(keyOf(row));
    rows.push(row);
  }
  await connection.insert('session_verdicts', rows, randomUUID());
  return { accepted: rows.length, duplicates: batch.length - rows.length };
}

function keyOf({
  session_id,
  masque,
  revision,
}: Pick<VerdictRow, 'session_id' | 'masque' | 'revision'>): string {
  return `${revision}\n${session_id}\n${masque}`;
}

function toVerdictRow(orgId: string, verdict: StoredVerdict): VerdictRow {
  return {
    org_id: orgId,
    session_id: verdict.sessionId,
    masque: verdict.masque,
    revision: verdict.revision,
    agent_id: verdict.agentId,
    entrypoint: verdict.entrypoint,
    kind_of_work: verdict.kindOfWork,
    started_at: verdict.startedAt,
    ended_at: verdict.endedAt,
    tools: verdict.tools,
    composite: verdict.composite,
    recommendation: verdict.recommendation,
    received_at: verdict.receivedAt,
    judged_at: verdict.judgedAt,
    details: JSON.stringify(verdict.details),
  };
}

export function fromVerdictRow(row: VerdictRow): StoredVerdict {
  return {
    sessionId: row.session_id,
    masque: row.masque,
    agentId: row.agent_id,
    entrypoint: row.entrypoint,
    kindOfWork: row.kind_of_work,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    tools: row.tools,
    composite: row.composite,
    recommendation: row.recommendation,
    revision: row.revision,
    receivedAt: row.received_at,
    judgedAt: row.judged_at,
    details: JSON.parse(row.details),
  };
}

function byBeginning(a: StoredVerdict, b: StoredVerdict): number {
  if (a.sessionId !== b.sessionId) return a.sessionId < b.sessionId ? -1 : 1;
  return a.startedAt - b.startedAt || (a.masque < b.masque ? -1 : 1);
}

function toConditions({ agentId, kindOfWork, entrypoint, before, toolsMin }: VerdictFilter) {
  const conditions = new Conditions();
  conditions.where('agent_id = {agentId:String}', { agentId });
  conditions.where('kind_of_work = {kindOfWork:String}', { kindOfWork });
  conditions.where('entrypoint = {entrypoint:String}', { entrypoint });
  conditions.where('started_at < {before:Float64}', { before });
  conditions.where('tools >= {toolsMin:Float64}', { toolsMin });
  return conditions;
}
