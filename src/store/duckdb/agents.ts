import { compareIds } from '../compare-ids.ts';
import type { Agents } from '../store.ts';
import { writeAudit } from './audit.ts';
import type { CommitQueue } from './commit-queue.ts';
import { type Directory, toAgent } from './directory.ts';
import { identityName } from './identities.ts';
import type { Names } from './names.ts';
import type { Places } from './places.ts';
import type { Recent } from './recent.ts';
import { deleteSessionsOf } from './telemetry-upkeep.ts';
import type { Windows } from './windows.ts';

interface AgentContext {
  queue: CommitQueue;
  directory: Directory;
  windows: Windows;
  identities: Names;
  places: Places;
  recent: Recent;
}

export function createAgents({
  queue,
  directory,
  windows,
  identities,
  places,
  recent,
}: AgentContext): Agents {
  return {
    async get(orgId, agentId) {
      const entry = directory.find(orgId, agentId);
      return entry ? toAgent(entry) : null;
    },

    async list(orgId, { cursor, limit }) {
      const sorted = directory.ofOrg(orgId).sort((a, b) => compareIds(a.agentId, b.agentId));
      const after = sorted.filter(({ agentId }) => cursor == null || compareIds(agentId, cursor) > 0);
      const items = after.slice(0, limit);
      return {
        items: items.map(toAgent),
        nextCursor: after.length > limit ? (items.at(-1)?.agentId ?? null) : null,
      };
    },

    put: (orgId, agentId, { at, ...change }) =>
      queue.write(async (transaction) => {
        const known = directory.find(orgId, agentId);
        if (!known) {
          const created = directory.ensure(transaction, orgId, { agentId, createdAt: at, ...change });
          return () => toAgent(created);
        }
        const changed = { ...known, ...change };
        // At once, so that the next write of the same commit builds on it.
        directory.replace(changed);
        transaction.onRollback(() => directory.replace(known));
        await transaction.run(
          `UPDATE agents SET identity_id = $identityId, display_name = $displayName, is_public = $isPublic
           WHERE agent_no = ${known.agentNo}`,
          { identityId: changed.identityId, displayName: changed.displayName, isPublic: changed.isPublic },
        );
        return () => toAgent(changed);
      }),

    delete: (orgId, agentId, audit) =>
      queue.write(async (transaction) => {
        const entry = directory.find(orgId, agentId);
        if (!entry) return () => false;
        await writeAudit(transaction, orgId, audit);
        await places.keep(transaction);
        const { agentNo, identityId } = entry;
        directory.forget(entry);
        transaction.onRollback(() => directory.replace(entry));
        const ofAgent = `(SELECT seq FROM evaluations WHERE agent_no = ${agentNo})`;
        await transaction.run(`DELETE FROM voids WHERE seq IN ${ofAgent}`);
        await transaction.run(`DELETE FROM evaluations WHERE agent_no = ${agentNo}`);
        await transaction.run(`DELETE FROM windows WHERE agent_no = ${agentNo}`);
        await transaction.run(`DELETE FROM signal_reports WHERE agent_no = ${agentNo}`);
        await transaction.run(`DELETE FROM session_scores WHERE agent_no = ${agentNo}`);
        await deleteSessionsOf(transaction, agentNo);
        await transaction.run(`DELETE FROM agents WHERE agent_no = ${agentNo}`);
        const shared = directory.ofOrg(orgId).some((one) => one.identityId === identityId);
        if (!shared) {
          const identityNo = identities.numberOf(identityName(orgId, identityId));
          await transaction.run(`DELETE FROM reputation_events WHERE identity_no = ${identityNo}`);
          await transaction.run(`DELETE FROM identity_runs WHERE identity_no = ${identityNo}`);
          await transaction.run(
            `DELETE FROM moved_events WHERE identity_no = ${identityNo} OR by_identity_no = ${identityNo}`,
          );
        }
        return () => {
          windows.forget(agentNo);
          recent.clear();
          return true;
        };
      }),
  };
}
