/**
 * Evaluations page by page, newest first. Those of one agent are a range of the table. Those of an org are looked for among
 * the newest first, because the table is parted by month and the newest are asked for most.
 */
import type { EvaluationFilter, Page, PageRequest, StoredEvaluation } from '../store.ts';
import { Conditions } from './conditions.ts';
import type { Connection } from './connection.ts';
import { parseCursor, toCursor } from './cursor.ts';
import { EVALUATION_COLUMNS, fromRow, positionOf, type StoredRow } from './evaluation-rows.ts';

const LOOK_BACK_MS = 7 * 86_400_000;

export async function listEvaluations(
  connection: Connection,
  orgId: string,
  { filter, page, newest }: { filter: EvaluationFilter; page: PageRequest; newest: number },
): Promise<Page<StoredEvaluation>> {
  const { sql, parameters } = toConditions(orgId, filter, page.cursor ?? null);
  // One more than asked for tells whether there is another page.
  const ask = (further: string) =>
    connection.query<Omit<StoredRow, 'void'>>(
      `SELECT ${EVALUATION_COLUMNS} FROM evaluations WHERE ${sql}${further}
       ORDER BY evaluations.received_at DESC, place DESC, evaluation_id DESC LIMIT ${page.limit + 1}`,
      parameters,
    );
  const from = Math.min(newest, Number(parameters.at ?? filter.to ?? newest)) - LOOK_BACK_MS;
  let rows =
    filter.agentId === undefined ? await ask(` AND evaluations.received_at >= ${Math.trunc(from)}`) : [];
  if (rows.length <= page.limit) rows = await ask('');
  const shown = await withNotes(connection, orgId, rows.slice(0, page.limit));
  const last = rows[page.limit - 1];
  return {
    items: shown.map(fromRow),
    nextCursor: last && rows.length > page.limit ? toCursor(positionOf(last)) : null,
  };
}

/** Either where an evaluation came first, or with `voided` what voided it. */
interface Note {
  evaluation_id: string;
  voided: boolean;
  at: number;
  place: number;
  reason: string;
}

/** Adds what was voided, and leaves out copies that two nodes took of one evaluation: the first one stays. */
export async function withNotes(
  connection: Connection,
  orgId: string,
  rows: readonly Omit<StoredRow, 'void'>[],
): Promise<StoredRow[]> {
  if (rows.length === 0) return [];
  const ofPage = 'org_id = {orgId:String} AND evaluation_id IN {ids:Array(String)}';
  const notes = await connection.query<Note>(
    `SELECT evaluation_id, false AS voided, toFloat64(first.1) AS at, first.2 AS place, '' AS reason
     FROM (SELECT evaluation_id, min((received_at, place)) AS first FROM evaluation_ids WHERE ${ofPage} GROUP BY evaluation_id)
     UNION ALL
     SELECT evaluation_id, true, void.1, 0, void.2
     FROM (SELECT evaluation_id, min((voided_at, reason)) AS void FROM voids WHERE ${ofPage} GROUP BY evaluation_id)`,
    { orgId, ids: rows.map(({ evaluation_id }) => evaluation_id) },
  );
  const firsts = new Map(notes.flatMap((note) => (note.voided ? [] : [[note.evaluation_id, note] as const])));
  const voids = new Map(notes.flatMap((note) => (note.voided ? [[note.evaluation_id, note] as const] : [])));
  return rows.flatMap((row) => {
    const first = firsts.get(row.evaluation_id);
    if (first && (first.at !== row.received_at || first.place !== row.place)) return [];
    const voided = voids.get(row.evaluation_id);
    return [{ ...row, void: voided ? [[voided.at, voided.reason]] : [] }];
  });
}

function toConditions(orgId: string, filter: EvaluationFilter, cursor: string | null) {
  const conditions = new Conditions().where('org_id = {orgId:String}', { orgId });
  const { agentId, tool, gate, passed, source, sessionId, from, to } = filter;
  conditions.where('agent_id = {agentId:String}', { agentId });
  conditions.where('tool = {tool:String}', { tool });
  conditions.where('has(gates.name, {gate:String})', { gate });
  conditions.where('passed = {passed:Bool}', { passed });
  conditions.where('source = {source:String}', { source });
  conditions.where('session_id = {sessionId:String}', { sessionId });
  conditions.where('evaluations.received_at >= {from:Float64}', { from });
  conditions.where('evaluations.received_at < {to:Float64}', { to });
  if (cursor !== null) {
    const { at, place, id } = parseCursor(cursor);
    conditions.where(
      '(evaluations.received_at, place, evaluation_id) < ({at:Int64}, {place:UInt32}, {id:String})',
      {
        at,
        place,
        id,
      },
    );
  }
  return conditions;
}
