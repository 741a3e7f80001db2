/**
 * Agents: known by their first use, or by what was said about them. Nothing is stored for an agent that is only used; its
 * identity follows from its name.
 */
import { randomUUID } from 'node:crypto';
import { identityIdOf, isUuid } from '../../core/ids.ts';
import { compareIds } from '../compare-ids.ts';
import type { Agent, Agents } from '../store.ts';
import type { AuditLog } from './audit-log.ts';
import type { Connection, Parameters } from './connection.ts';
import type { LastStandings } from './last-standings.ts';
import { deleteSessionsOf } from './remove-sessions.ts';
import type { WriteQueue } from './write-queue.ts';

interface AgentContext {
  connection: Connection;
  queue: WriteQueue;
  last: LastStandings;
  log: AuditLog;
}

/** An agent, with the version of what was last said about it: 0 when it is only used. */
export interface KnownAgent extends Agent {
  orgId: string;
  version: number;
}

export function createAgents({ connection, queue, last, log }: AgentContext): Agents {
  return {
    async get(orgId, agentId) {
      const agent = await findAgent(connection, orgId, agentId);
      return agent ? toAgent(agent) : null;
    },

    async list(orgId, { cursor, limit }) {
      const agents = await readAgents(connection, {
        where: `org_id = {orgId:String}${cursor == null ? '' : ' AND agent_id > {cursor:String}'}`,
        parameters: { orgId, cursor },
        limit: limit + 1,
      });
      const items = agents.slice(0, limit).map(toAgent);
      return { items, nextCursor: agents.length > limit ? (items.at(-1)?.agentId ?? null) : null };
    },

    put: (orgId, agentId, { at, ...change }) =>
      queue.run(async () => {
        const known = await findAgent(connection, orgId, agentId);
        const agent = { ...(known ?? newcomer(orgId, agentId, at)), ...change };
        await insertChange(connection, {
          orgId,
          agentId,
          version: agent.version + 1,
          ...change,
          ...(!known && { createdAt: at }),
        });
        return toAgent(agent);
      }),

    delete: (orgId, agentId, audit) =>
      queue.run(async () => {
        const agents = await readAgents(connection, {
          where: 'org_id = {orgId:String}',
          parameters: { orgId },
        });
        const agent = agents.find((one) => one.agentId === agentId);
        if (!agent) return false;
        const shared = agents.some((one) => one !== agent && one.identityId === agent.identityId);
        // Only a UUID can have events.
        await deleteAgent(connection, agent, { withIdentity: !shared && isUuid(agent.identityId) });
        last.forget({ orgId, agentId });
        await log.write(orgId, audit);
        return true;
      }),
  };
}

const OF_AGENT = [
  'evaluations',
  'evaluation_ids',
  'voids',
  'evaluation_days',
  'agent_prunes',
  'agent_changes',
  'signal_reports',
  'session_scores',
  'session_verdicts',
];
const OF_IDENTITY = [
  'reputation_events',
  'event_ids',
  'identity_days',
  'identity_marks',
  'reputation_scores',
];

/** By what an agent is known goes last, so that a deletion which was cut off can be asked for again. */
async function deleteAgent(
  connection: Connection,
  { orgId, agentId, identityId }: KnownAgent,
  { withIdentity }: { withIdentity: boolean },
): Promise<void> {
  await deleteSessionsOf(connection, { orgId, agentId });
  const ofAgent = 'org_id = {orgId:String} AND agent_id = {agentId:String}';
  const ofIdentity = 'org_id = {orgId:String} AND identity_id = {identityId:UUID}';
  await Promise.all([
    ...OF_AGENT.map((table) => connection.delete(table, ofAgent, { orgId, agentId })),
    ...(withIdentity ? OF_IDENTITY : []).map((table) =>
      connection.delete(table, ofIdentity, { orgId, identityId }),
    ),
  ]);
  await connection.delete('agent_days', ofAgent, { orgId, agentId });
}

async function findAgent(connection: Connection, orgId: string, agentId: string) {
  const [agent] = await readAgents(connection, {
    where: 'org_id = {orgId:String} AND agent_id = {agentId:String}',
    parameters: { orgId, agentId },
  });
  return agent;
}

interface AgentRow {
  org_id: string;
  agent_id: string;
  first_at: number | null;
  created_at: number | null;
  identity_id: string | null;
  display_name: (string | null)[];
  is_public: boolean | null;
  version: number;
}

/** In the order of orgs and ids. */
export async function readAgents(
  connection: Connection,
  { where, parameters = {}, limit }: { where: string; parameters?: Parameters; limit?: number },
): Promise<KnownAgent[]> {
  const page = limit === undefined ? '' : `ORDER BY agent_id LIMIT ${limit}`;
  const rows = await connection.query<AgentRow>(
    `SELECT * FROM (
       SELECT org_id, agent_id, toNullable(toFloat64(min(agent_days.first_at))) AS first_at, CAST(NULL, 'Nullable(Float64)') AS created_at,
         CAST(NULL, 'Nullable(String)') AS identity_id, CAST([], 'Array(Nullable(String))') AS display_name,
         CAST(NULL, 'Nullable(Bool)') AS is_public, toFloat64(0) AS version
       FROM agent_days WHERE ${where} GROUP BY org_id, agent_id ${page}
     )
     UNION ALL
     SELECT * FROM (
       SELECT org_id, agent_id, NULL, min(created_at), argMax(identity_id, (version, writer)),
         argMaxIf(display_name, (version, writer), notEmpty(display_name)), argMax(is_public, (version, writer)),
         toFloat64(max(version))
       FROM agent_changes WHERE ${where} GROUP BY org_id, agent_id ${page}
     )`,
    parameters,
  );
  const agents = new Map<string, KnownAgent>();
  // Those from use come first, and what was said is laid over them.
  for (const row of rows.sort((a, b) => a.version - b.version)) {
    const { org_id: orgId, agent_id: agentId } = row;
    const key = `${orgId}\n${agentId}`;
    const known = agents.get(key) ?? newcomer(orgId, agentId, row.first_at ?? 0);
    const [name = known.displayName] = row.display_name;
    agents.set(key, {
      ...known,
      createdAt: row.created_at ?? known.createdAt,
      identityId: row.identity_id ?? known.identityId,
      displayName: name,
      isPublic: row.is_public ?? known.isPublic,
      version: row.version,
    });
  }
  const sorted = [...agents.values()].sort(
    (a, b) => compareIds(a.orgId, b.orgId) || compareIds(a.agentId, b.agentId),
  );
  return sorted.slice(0, limit);
}

interface AgentChange {
  orgId: string;
  agentId: string;
  version: number;
  createdAt?: number;
  identityId?: string | undefined;
  displayName?: string | null | undefined;
  isPublic?: boolean | undefined;
}

export function insertChange(connection: Connection, ...changes: AgentChange[]): Promise<void> {
  return connection.insert(
    'agent_changes',
    changes.map(({ orgId, agentId, version, createdAt, identityId, displayName, isPublic }) => ({
      org_id: orgId,
      agent_id: agentId,
      version,
      writer: randomUUID(),
      created_at: createdAt ?? null,
      identity_id: identityId ?? null,
      display_name: displayName === undefined ? [] : [displayName],
      is_public: isPublic ?? null,
    })),
  );
}

function newcomer(orgId: string, agentId: string, createdAt: number): KnownAgent {
  return {
    orgId,
    agentId,
    identityId: identityIdOf(orgId, agentId),
    displayName: null,
    isPublic: false,
    createdAt,
    version: 0,
  };
}

function toAgent({ agentId, identityId, displayName, isPublic, createdAt }: KnownAgent): Agent {
  return { agentId, identityId, displayName, isPublic, createdAt };
}
