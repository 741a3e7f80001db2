import { randomUUID } from 'node:crypto';
import type { Reputation } from '../../core/reputation.ts';
import { checkBatch } from '../evaluation-window.ts';
import type { Appended, Evaluations } from '../store.ts';
import { verdictsOf } from '../verdict-feed.ts';
import type { Arrival } from './arrival.ts';
import type { AuditLog } from './audit-log.ts';
import { readDaily } from './daily.ts';
import { isAway } from './errors.ts';
import { listEvaluations } from './evaluation-list.ts';
import {
  EVALUATION_COLUMNS,
  type EvaluationRow,
  fromRow,
  type Incoming,
  type StoredRow,
  toRow,
  type VoidRow,
} from './evaluation-rows.ts';
import { readHead, readSince } from './feed.ts';
import { readHistory } from './history.ts';
import { evaluationKey, placesOf } from './known.ts';
import type { LastStandings } from './last-standings.ts';
import type { Outbox } from './outbox.ts';
import {
  type AgentKey,
  readStandings,
  type Standing,
  type StandingContext,
  toReputation,
  withRows,
} from './standings.ts';
import type { WriteQueue } from './write-queue.ts';

export interface EvaluationContext extends StandingContext {
  queue: WriteQueue;
  outbox: Outbox;
  arrival: Arrival;
  /** What this node knew last of the agents it has dealt with, for when the server is away. */
  last: LastStandings;
  log: AuditLog;
}

/** What one caller brings. */
interface Brought {
  orgId: string;
  batch: readonly Incoming[];
}

export function createEvaluations(context: EvaluationContext): Evaluations {
  const { connection, queue, last } = context;
  const appendGroup = (group: readonly Brought[]) => appendEvaluations(context, group);

  async function find(orgId: string, evaluationId: string): Promise<StoredRow | undefined> {
    const ofId = 'org_id = {orgId:String} AND evaluation_id = {evaluationId:String}';
    const rows = await connection.query<StoredRow>(
      `SELECT ${EVALUATION_COLUMNS},
         (SELECT groupArray(1)((voided_at, reason)) FROM (
           SELECT voided_at, reason FROM voids WHERE ${ofId} ORDER BY voided_at, reason
         )) AS void
       FROM evaluations
       WHERE org_id = {orgId:String} AND (agent_id, received_at, place, evaluation_id) IN (
         SELECT agent_id, received_at, place, evaluation_id FROM evaluation_ids
         WHERE ${ofId} ORDER BY received_at, place, agent_id LIMIT 1
       ) LIMIT 1`,
      { orgId, evaluationId },
    );
    return rows[0];
  }

  return {
    async append(orgId, batch) {
      checkBatch(batch);
      return queue.append(appendGroup, { orgId, batch }, batch.length);
    },

    async get(orgId, evaluationId) {
      const row = await find(orgId, evaluationId);
      return row ? fromRow(row) : null;
    },

    list: (orgId, filter, page) =>
      listEvaluations(connection, orgId, { filter, page, newest: context.arrival.newest }),

    async reputation(orgId, agentId) {
      const [standing] = await readStandings(context, [{ orgId, agentId }]);
      if (standing) last.note({ orgId, agentId }, standing);
      return toReputation(standing ?? NEWCOMER);
    },

    async lastArrival(orgId, agentId) {
      const [standing] = await readStandings(context, [{ orgId, agentId }]);
      return standing?.window.at(-1)?.received_at ?? null;
    },

    daily: (orgId, span) => readDaily(connection, orgId, span),
    history: (orgId, agentId, times) => readHistory(connection, { orgId, agentId }, times),
    head: (orgId) => readHead(connection, orgId),
    since: (orgId, cursor, limit) => readSince(connection, orgId, { cursor, limit }),
    verdictsSince: async (orgId, cursor, limit) =>
      verdictsOf(await readSince(connection, orgId, { cursor, limit }), limit),

    void: (orgId, evaluationId, { at, reason, audit }) =>
      queue.run(async () => {
        const row = await find(orgId, evaluationId);
        if (!row || row.void.length > 0) return row ? fromRow(row) : null;
        await connection.insert('voids', [toVoidRow(orgId, row, { at, reason })], randomUUID());
        await context.log.write(orgId, audit);
        last.forget({ orgId, agentId: row.agent_id });
        return fromRow({ ...row, void: [[at, reason]] });
      }),
  };
}

const NEWCOMER: Standing = { window: [], lifetime: 0 };

/** Appends what several callers bring with one insert; restoring does so too. */
export async function appendEvaluations(
  context: EvaluationContext,
  group: readonly Brought[],
): Promise<Appended[]> {
  const agents = agentsOf(group);
  const { known, standings } = await readBefore(context, group, agents);
  const rows: EvaluationRow[] = [];
  const voids: VoidRow[] = [];
  const answers = group.map(({ orgId, batch }) => {
    const own: EvaluationRow[] = [];
    const counting: EvaluationRow[] = [];
    const duplicates: string[] = [];
    for (const one of batch) {
      const key = evaluationKey({ org_id: orgId, evaluation_id: one.evaluationId });
      if (known.has(key)) {
        duplicates.push(one.evaluationId);
        continue;
      }
      known.add(key);
      const row = toRow(orgId, one, context.arrival.next(one.receivedAt));
      own.push(row);
      if (one.voided) voids.push(toVoidRow(orgId, row, one.voided));
      else if (one.counts) counting.push(row);
    }
    rows.push(...own);
    const reputations = new Map<string, Reputation>();
    for (const agentId of new Set(batch.map((one) => one.agentId))) {
      const key = `${orgId}\n${agentId}`;
      const pushed = counting.filter(({ agent_id }) => agent_id === agentId);
      const standing = withRows(standings.get(key) ?? NEWCOMER, pushed);
      standings.set(key, standing);
      reputations.set(agentId, toReputation(standing));
    }
    return { accepted: own.length, duplicates, reputations };
  });
  // The voids first: of an evaluation that is not there they say nothing.
  await context.connection.insert('voids', voids, randomUUID());
  await context.outbox.send({ table: 'evaluations', token: randomUUID(), rows });
  for (const agent of agents) {
    context.last.note(agent, standings.get(`${agent.orgId}\n${agent.agentId}`) ?? NEWCOMER);
  }
  return answers;
}

/** What was known before a group: from the server, or, while it is away, from what this node has seen. */
async function readBefore(
  context: EvaluationContext,
  group: readonly Brought[],
  agents: readonly AgentKey[],
): Promise<{ known: Set<string>; standings: Map<string, Standing> }> {
  const { connection, outbox, last } = context;
  const ids = group.flatMap(({ orgId, batch }) =>
    batch.map(({ evaluationId }) => ({ org_id: orgId, evaluation_id: evaluationId })),
  );
  const keys = agents.map(({ orgId, agentId }) => `${orgId}\n${agentId}`);
  if (!outbox.isWaiting) {
    try {
      const [places, standings] = await Promise.all([
        placesOf(connection, ids),
        readStandings(context, agents),
      ]);
      return {
        known: new Set(places.keys()),
        standings: new Map(keys.map((key, i) => [key, standings[i] ?? NEWCOMER])),
      };
    } catch (error) {
      if (!isAway(error)) throw error;
    }
  }
  return {
    known: await outbox.waitingOf('evaluations', ids.map(evaluationKey)),
    standings: new Map(agents.map((agent, i) => [keys[i] as string, last.get(agent) ?? NEWCOMER])),
  };
}

function agentsOf(group: readonly Brought[]): AgentKey[] {
  const agents = new Map<string, AgentKey>();
  for (const { orgId, batch } of group) {
    for (const { agentId } of batch) agents.set(`${orgId}\n${agentId}`, { orgId, agentId });
  }
  return [...agents.values()];
}

function toVoidRow(
  orgId: string,
  row: Pick<EvaluationRow, 'agent_id' | 'evaluation_id' | 'received_at'>,
  { at, reason }: { at: number; reason: string },
): VoidRow {
  const { agent_id, evaluation_id, received_at } = row;
  return { org_id: orgId, agent_id, evaluation_id, received_at, voided_at: at, reason };
}
