import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { LIMITS } from '../../core/limits.ts';
import { type Reputation, reputationOf } from '../../core/reputation.ts';
import { ReputationWindow } from '../../core/reputation-window.ts';
import { checkBatch, toCounted } from '../evaluation-window.ts';
import type {
  Appended,
  Evaluation,
  EvaluationFilter,
  Evaluations,
  Page,
  PageRequest,
  StoredEvaluation,
} from '../store.ts';
import { writeAudit } from './audit.ts';
import type { CommitQueue } from './commit-queue.ts';
import { parseSeqCursor } from './cursor.ts';
import { readDaily } from './daily.ts';
import type { Directory } from './directory.ts';
import {
  EVALUATIONS,
  fromRow,
  gateMark,
  pushRow,
  STORED_COLUMNS,
  type StoredRow,
  sourceNumber,
  VOIDS,
} from './evaluation-rows.ts';
import { readHead, readSince, readVerdictsSince } from './feed.ts';
import { type Fingerprints, fingerprintOf } from './fingerprints.ts';
import { readHistory } from './history.ts';
import type { Names } from './names.ts';
import { query } from './query.ts';
import type { Transaction } from './transaction.ts';
import { type Arrived, fromTailRow, TAIL_COLUMNS, type TailRow, type Windows } from './windows.ts';

/** What the evaluations of a ledger are kept with. */
export interface EvaluationContext {
  reader: DuckDBConnection;
  queue: CommitQueue;
  directory: Directory;
  windows: Windows;
  fingerprints: Fingerprints;
  names: Names;
  /** Of this ledger's fingerprints. */
  seed: number;
  clock: () => number;
  /** The place of the next evaluation, and the time of the last: arrival never goes backwards, whatever the clock does. */
  arrival: { nextSeq: number; lastAt: number };
}

export const FROM_EVALUATIONS = 'FROM evaluations e LEFT JOIN voids v ON v.seq = e.seq';

export function createEvaluations(context: EvaluationContext): Evaluations {
  const { reader, queue, directory, windows } = context;

  function toStored(row: StoredRow): StoredEvaluation {
    return fromRow(row, directory.ofNumber(row.agentNo)?.agentId ?? '', context.names);
  }

  /** Asked of the reader, or of the transaction of a write, which sees the writes before it. */
  async function find(
    orgId: string,
    evaluationId: string,
    ask: <T>(sql: string, values: Record<string, DuckDBValue>) => Promise<T[]>,
  ): Promise<StoredRow | undefined> {
    const rows = await ask<StoredRow>(
      `SELECT ${STORED_COLUMNS} ${FROM_EVALUATIONS}
       WHERE e.fingerprint = $fingerprint AND e.evaluation_id = $evaluationId`,
      { fingerprint: fingerprint(context.seed, orgId, evaluationId), evaluationId },
    );
    return rows.find(({ agentNo }) => directory.ofNumber(agentNo)?.orgId === orgId);
  }

  return {
    async append(orgId, batch) {
      checkBatch(batch);
      return queue.write(
        (transaction) => appendEvaluations(transaction, context, { orgId, batch }),
        batch.length,
      );
    },

    async get(orgId, evaluationId) {
      if (!context.fingerprints.has(fingerprint(context.seed, orgId, evaluationId))) return null;
      const row = await find(orgId, evaluationId, (sql, values) => query(reader, sql, values));
      return row ? toStored(row) : null;
    },

    list: (orgId, filter, page) => listEvaluations(context, orgId, { filter, page, toStored }),

    async reputation(orgId, agentId) {
      const agent = directory.find(orgId, agentId);
      return agent ? (await windows.get(agent.agentNo)).reputation() : reputationOf([]);
    },

    async lastArrival(orgId, agentId) {
      const agent = directory.find(orgId, agentId);
      return agent ? windows.lastArrival(agent.agentNo) : null;
    },

    history: (orgId, agentId, times) => readHistory(context, directory.find(orgId, agentId), times),
    daily: (orgId, span) => readDaily(context, orgId, span),
    head: () => readHead(reader),
    since: (orgId, cursor, limit) => readSince(context, orgId, { cursor, limit, toStored }),
    verdictsSince: (orgId, cursor, limit) => readVerdictsSince(context, orgId, { cursor, limit }),

    async void(orgId, evaluationId, { at, reason, audit }) {
      return queue.write(async (transaction) => {
        const row = await find(orgId, evaluationId, (sql, values) => transaction.query(sql, values));
        if (!row) return () => null;
        if (row.voidedAt !== null) return () => toStored(row);
        transaction.append(VOIDS, [row.seq, at, reason]);
        await writeAudit(transaction, orgId, audit);
        if (row.counts) await rebuildWindow(transaction, context, row.agentNo);
        return () => toStored({ ...row, voidedAt: at, voidReason: reason });
      });
    },
  };
}

/** What is appended: an evaluation as a caller brings it, or one that is restored with what the ledger knew of it. */
export type Incoming = Evaluation & Partial<Pick<StoredEvaluation, 'receivedAt' | 'voided'>>;

/** Appends within a transaction of the caller's; restoring does so too. */
export async function appendEvaluations(
  transaction: Transaction,
  context: EvaluationContext,
  { orgId, batch }: { orgId: string; batch: readonly Incoming[] },
): Promise<() => Promise<Appended>> {
  const known = await knownIds(transaction, context, { orgId, batch });
  const duplicates: string[] = [];
  const arrived: Arrived[] = [];
  const columns = transaction.columnsOf(EVALUATIONS);
  for (const [i, evaluation] of batch.entries()) {
    const { evaluationId, agentId, voided } = evaluation;
    if (known.ids?.has(evaluationId)) {
      duplicates.push(evaluationId);
      continue;
    }
    known.ids?.add(evaluationId);
    const receivedAt = evaluation.receivedAt ?? arrivalTime(context);
    const agentNo = agentNumber(transaction, context, { orgId, agentId, createdAt: receivedAt });
    const seq = context.arrival.nextSeq++;
    pushRow(columns, evaluation, {
      seq,
      fingerprint: known.fingerprints[i] as number,
      agentNo,
      receivedAt,
      toolNo: context.names.ensure(transaction, evaluation.tool),
      suiteNo: context.names.ensure(transaction, evaluation.suiteHash),
      modelNo: context.names.ensure(transaction, evaluation.model),
      versionNo: context.names.ensure(transaction, evaluation.version),
    });
    if (voided) transaction.append(VOIDS, [seq, voided.at, voided.reason]);
    const counted = evaluation.counts && !voided ? toCounted(evaluation) : null;
    arrived.push({ agentNo, seq, receivedAt, counted });
  }
  return async () => {
    const reputations = await reputationsAfter(context, orgId, { batch, arrived });
    return { accepted: arrived.length, duplicates, reputations };
  };
}

/** The number of an agent. One that is met for the first time begins with an empty window: there is none to read. */
function agentNumber(
  transaction: Transaction,
  { directory, windows }: EvaluationContext,
  { orgId, ...agent }: { orgId: string; agentId: string; createdAt: number },
): number {
  const known = directory.find(orgId, agent.agentId);
  if (known) return known.agentNo;
  const { agentNo } = directory.ensure(transaction, orgId, agent);
  windows.begin(transaction, agentNo);
  return agentNo;
}

/**
 * Which ids of a batch are in the ledger; null where no fingerprint was met before, so that all are new. Only those that
 * were are looked for on disk, or in the same batch.
 */
async function knownIds(
  transaction: Transaction,
  { fingerprints: ledger, directory, seed }: EvaluationContext,
  { orgId, batch }: { orgId: string; batch: readonly Incoming[] },
): Promise<{ fingerprints: Float64Array; ids: Set<string> | null }> {
  const fingerprints = new Float64Array(batch.length);
  const hits: number[] = [];
  batch.forEach(({ evaluationId }, i) => {
    const mark = fingerprint(seed, orgId, evaluationId);
    fingerprints[i] = mark;
    if (!ledger.add(mark)) hits.push(mark);
  });
  if (hits.length === 0) return { fingerprints, ids: null };
  const rows = await transaction.query<{ evaluationId: string; agentNo: number }>(
    `SELECT evaluation_id AS "evaluationId", agent_no AS "agentNo" FROM evaluations
     WHERE fingerprint IN (${hits.join(', ')})`,
  );
  const own = rows.filter(({ agentNo }) => directory.ofNumber(agentNo)?.orgId === orgId);
  return { fingerprints, ids: new Set(own.map(({ evaluationId }) => evaluationId)) };
}

async function reputationsAfter(
  { windows, directory }: EvaluationContext,
  orgId: string,
  { batch, arrived }: { batch: readonly Evaluation[]; arrived: readonly Arrived[] },
): Promise<Map<string, Reputation>> {
  const pushed = await windows.push(arrived);
  const reputations = new Map<string, Reputation>();
  for (const { agentId } of batch) {
    if (reputations.has(agentId)) continue;
    const agentNo = directory.find(orgId, agentId)?.agentNo;
    // An agent known only from duplicates that belong to another has no window.
    if (agentNo === undefined) reputations.set(agentId, reputationOf([]));
    else reputations.set(agentId, (pushed.get(agentNo) ?? (await windows.get(agentNo))).reputation());
  }
  return reputations;
}

/**
 * The window without what was just voided: the one case in which it is read from the evaluations, and all of it from the
 * transaction, which knows what else has happened to the agent in it.
 */
async function rebuildWindow(
  transaction: Transaction,
  { windows }: EvaluationContext,
  agentNo: number,
): Promise<void> {
  const ofAgent = `FROM evaluations WHERE agent_no = ${agentNo} AND counts`;
  const counting = `${ofAgent} AND seq NOT IN (SELECT seq FROM voids)`;
  const rows = await transaction.query<TailRow>(
    `SELECT ${TAIL_COLUMNS} ${counting} ORDER BY seq DESC LIMIT ${LIMITS.windowSize}`,
  );
  // The last of all, voided or not: none up to it is to be pushed onto this window any more.
  const [found] = await transaction.query<{ lifetime: number; last: number }>(
    `SELECT (SELECT pruned_evaluations FROM agents WHERE agent_no = ${agentNo}) + (SELECT count(*) ${counting}) AS lifetime,
       (SELECT max(seq) ${ofAgent}) AS last`,
  );
  const window = ReputationWindow.from(rows.reverse().map(fromTailRow), found?.lifetime);
  const at = rows.at(-1)?.receivedAt ?? null;
  await windows.replace(transaction, agentNo, { window, seq: found?.last ?? -1, at });
}

/** How far back the first look at the ledger goes; each further one goes four times as far. */
const LOOK_BACK_ROWS = 50_000;

async function listEvaluations(
  { reader, arrival, directory, names }: EvaluationContext,
  orgId: string,
  {
    filter,
    page,
    toStored,
  }: { filter: EvaluationFilter; page: PageRequest; toStored: (row: StoredRow) => StoredEvaluation },
): Promise<Page<StoredEvaluation>> {
  const { sql, values } = toCondition(orgId, filter, { directory, names });
  const found: StoredRow[] = [];
  let high = parseSeqCursor(page.cursor) ?? arrival.nextSeq;
  // One more than asked for tells whether there is another page.
  for (let span = LOOK_BACK_ROWS; high > 0 && found.length <= page.limit; span *= 4) {
    const low = Math.max(0, high - span);
    found.push(
      ...(await query<StoredRow>(
        reader,
        `SELECT ${STORED_COLUMNS} ${FROM_EVALUATIONS} WHERE e.seq >= ${low} AND e.seq < ${high} AND ${sql}
         ORDER BY e.seq DESC LIMIT ${page.limit + 1 - found.length}`,
        values,
      )),
    );
    high = low;
  }
  const items = found.slice(0, page.limit);
  const last = items.at(-1);
  return {
    items: items.map(toStored),
    nextCursor: last && found.length > page.limit ? String(last.seq) : null,
  };
}

function toCondition(
  orgId: string,
  filter: EvaluationFilter,
  { directory, names }: { directory: Directory; names: Names },
) {
  const conditions: string[] = [];
  const values: Record<string, DuckDBValue> = {};
  const where = (condition: string, name: string, value: DuckDBValue | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values[name] = value;
  };
  const { agentId, gate, source } = filter;
  if (agentId === undefined) {
    where('e.agent_no IN (SELECT agent_no FROM agents WHERE org_id = $orgId)', 'orgId', orgId);
  } else {
    where('e.agent_no = $agentNo', 'agentNo', directory.find(orgId, agentId)?.agentNo ?? -1);
  }
  where('e.tool_no = $tool', 'tool', filter.tool === undefined ? undefined : names.numberOf(filter.tool));
  where('contains(e.gates, $gate)', 'gate', gate === undefined ? undefined : gateMark(gate));
  where('e.passed = $passed', 'passed', filter.passed);
  where('e.source = $source', 'source', source === undefined ? undefined : sourceNumber(source));
  where('e.session_id = $sessionId', 'sessionId', filter.sessionId);
  where('e.received_at >= $from', 'from', filter.from);
  where('e.received_at < $to', 'to', filter.to);
  return { sql: conditions.join(' AND '), values };
}

function arrivalTime({ clock, arrival }: EvaluationContext): number {
  arrival.lastAt = Math.max(arrival.lastAt, clock());
  return arrival.lastAt;
}

/** Of an id within all orgs; no org id has a line break in it. */
function fingerprint(seed: number, orgId: string, evaluationId: string): number {
  return fingerprintOf(`${orgId}\n${evaluationId}`, seed);
}
