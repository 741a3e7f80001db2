/** How sessions were judged. Of each session the rows of the highest revision count. */
import { DOUBLE, INTEGER, VARCHAR } from '@duckdb/node-api';
import type { StoredVerdict, VerdictFilter, Verdicts } from '../store.ts';
import { numberList, query } from './query.ts';
import type { TelemetryContext } from './sessions.ts';
import { sessionMark } from './signals.ts';
import type { AppendTable, Transaction } from './transaction.ts';

// biome-ignore format: in the order of the columns, as the migration has them.
const SESSION_VERDICTS: AppendTable = {
  name: 'session_verdicts',
  types: [
    DOUBLE, INTEGER, VARCHAR, VARCHAR, INTEGER, VARCHAR, VARCHAR, DOUBLE, DOUBLE, DOUBLE, DOUBLE, VARCHAR, INTEGER,
    DOUBLE, DOUBLE, VARCHAR,
  ],
};

const VERDICT_COLUMNS = `org_no AS "orgNo", session_id AS "sessionId", masque, agent_no AS "agentNo", entrypoint,
  kind_of_work AS "kindOfWork", started_at AS "startedAt", ended_at AS "endedAt", tools, composite, recommendation,
  revision, received_at AS "receivedAt", judged_at AS "judgedAt", details`;

export interface VerdictRow extends Omit<StoredVerdict, 'agentId' | 'details'> {
  orgNo: number;
  agentNo: number | null;
  details: string;
}

export const LATEST_VERDICTS = `SELECT ${VERDICT_COLUMNS} FROM session_verdicts
  QUALIFY revision = max(revision) OVER (PARTITION BY session_mark)`;

export function createVerdicts(context: TelemetryContext): Verdicts {
  const { reader, queue, names, directory, seed } = context;
  return {
    append: (orgId, batch) =>
      queue.write((transaction) => appendVerdicts(transaction, context, { orgId, batch }), batch.length),

    async latestOf(orgId, sessionIds) {
      const marks = sessionIds.map((sessionId) => sessionMark(orgId, sessionId, seed));
      const rows = await query<VerdictRow>(
        reader,
        `SELECT ${VERDICT_COLUMNS} FROM session_verdicts
         WHERE session_mark IN (${numberList(marks)}) AND org_no = ${names.numberOf(orgId)}
         QUALIFY revision = max(revision) OVER (PARTITION BY session_mark)
         ORDER BY session_id, started_at, masque`,
      );
      const wanted = new Set(sessionIds);
      return rows.filter(({ sessionId }) => wanted.has(sessionId)).map((row) => fromVerdictRow(row, context));
    },

    async list(orgId, filter, limit) {
      const agentNo =
        filter.agentId === undefined ? -1 : (directory.find(orgId, filter.agentId)?.agentNo ?? -1);
      const { where, values } = conditions(filter, agentNo);
      const rows = await query<VerdictRow>(
        reader,
        `SELECT * FROM (${LATEST_VERDICTS}) WHERE "orgNo" = ${names.numberOf(orgId)} ${where}
         ORDER BY "startedAt" DESC, "sessionId" DESC, masque DESC LIMIT ${Number(limit)}`,
        values,
      );
      return rows.map((row) => fromVerdictRow(row, context));
    },
  };
}

/** Within a transaction of the caller's; restoring does so too. */
export async function appendVerdicts(
  transaction: Transaction,
  { names, directory, seed }: TelemetryContext,
  { orgId, batch }: { orgId: string; batch: readonly StoredVerdict[] },
): Promise<() => { accepted: number; duplicates: number }> {
  const marks = batch.map(({ sessionId }) => sessionMark(orgId, sessionId, seed));
  const found = await transaction.query<{ sessionId: string; masque: string; revision: number }>(
    `SELECT session_id AS "sessionId", masque, revision FROM session_verdicts
     WHERE session_mark IN (${numberList(marks)}) AND org_no = ${names.numberOf(orgId)}`,
  );
  const known = new Set(found.map(keyOf));
  let accepted = 0;
  batch.forEach((verdict, i) => {
    const key = keyOf(verdict);
    if (known.has(key)) return;
    known.add(key);
    accepted++;
    const agentNo =
      verdict.agentId === null ? null : (directory.find(orgId, verdict.agentId)?.agentNo ?? null);
    transaction.append(SESSION_VERDICTS, [
      marks[i] as number,
      names.ensure(transaction, orgId),
      verdict.sessionId,
      verdict.masque,
      agentNo,
      verdict.entrypoint,
      verdict.kindOfWork,
      verdict.startedAt,
      verdict.endedAt,
      verdict.tools,
      verdict.composite,
      verdict.recommendation,
      verdict.revision,
      verdict.receivedAt,
      verdict.judgedAt,
      JSON.stringify(verdict.details),
    ]);
  });
  return () => ({ accepted, duplicates: batch.length - accepted });
}

export function fromVerdictRow(
  { orgNo: _, agentNo, details, ...same }: VerdictRow,
  { directory }: TelemetryContext,
): StoredVerdict {
  return {
    ...same,
    agentId: agentNo === null ? null : (directory.ofNumber(agentNo)?.agentId ?? null),
    details: JSON.parse(details),
  };
}

function keyOf({
  sessionId,
  masque,
  revision,
}: Pick<StoredVerdict, 'sessionId' | 'masque' | 'revision'>): string {
  return `${revision}\n${sessionId}\n${masque}`;
}

function conditions({ agentId, kindOfWork, entrypoint, before, toolsMin }: VerdictFilter, agentNo: number) {
  const conditions = [
    ...(agentId === undefined ? [] : [`"agentNo" = ${agentNo}`]),
    ...(kindOfWork === undefined ? [] : ['"kindOfWork" = $kindOfWork']),
    ...(entrypoint === undefined ? [] : ['entrypoint = $entrypoint']),
    ...(before === undefined ? [] : [`"startedAt" < ${Number(before)}`]),
    ...(toolsMin === undefined ? [] : [`tools >= ${Number(toolsMin)}`]),
  ];
  return {
    where: conditions.map((condition) => `AND ${condition}`).join(' '),
    values: {
      ...(kindOfWork !== undefined && { kindOfWork }),
      ...(entrypoint !== undefined && { entrypoint }),
    },
  };
}
