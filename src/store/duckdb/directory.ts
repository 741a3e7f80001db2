/**
 * The agents of all orgs, in memory: about 300 bytes each. Evaluations refer to them by a small number, which is
 * quicker to compare than a name and takes less room ten million times over.
 */
import { BOOLEAN, DOUBLE, type DuckDBConnection, INTEGER, VARCHAR } from '@duckdb/node-api';
import { identityIdOf } from '../../core/ids.ts';
import type { Agent, AgentRow } from '../store.ts';
import { query } from './query.ts';
import type { AppendTable, Transaction } from './transaction.ts';

export interface DirectoryEntry extends AgentRow {
  readonly agentNo: number;
  readonly orgId: string;
}

const AGENTS: AppendTable = {
  name: 'agents',
  types: [INTEGER, VARCHAR, VARCHAR, VARCHAR, VARCHAR, BOOLEAN, DOUBLE, DOUBLE],
};

export class Directory {
  readonly #byOrg = new Map<string, Map<string, DirectoryEntry>>();
  readonly #byNo = new Map<number, DirectoryEntry>();
  #nextNo = 0;

  static async load(connection: DuckDBConnection): Promise<Directory> {
    const directory = new Directory();
    const rows = await query<DirectoryEntry>(
      connection,
      `SELECT agent_no AS "agentNo", org_id AS "orgId", agent_id AS "agentId", identity_id AS "identityId",
         display_name AS "displayName", is_public AS "isPublic", created_at AS "createdAt",
         pruned_evaluations AS "prunedEvaluations" FROM agents`,
    );
    for (const row of rows) directory.#remember(row);
    return directory;
  }

  find(orgId: string, agentId: string): DirectoryEntry | undefined {
    return this.#byOrg.get(orgId)?.get(agentId);
  }

  ofNumber(agentNo: number): DirectoryEntry | undefined {
    return this.#byNo.get(agentNo);
  }

  ofOrg(orgId: string): DirectoryEntry[] {
    return [...(this.#byOrg.get(orgId)?.values() ?? [])];
  }

  all(): Iterable<DirectoryEntry> {
    return this.#byNo.values();
  }

  /** The agent, created in this transaction if nobody has met it before. */
  ensure(
    transaction: Transaction,
    orgId: string,
    row: { agentId: string; createdAt: number } & Partial<AgentRow>,
  ) {
    const known = this.find(orgId, row.agentId);
    if (known) return known;
    const entry: DirectoryEntry = {
      identityId: identityIdOf(orgId, row.agentId),
      displayName: null,
      isPublic: false,
      prunedEvaluations: 0,
      ...row,
      agentNo: this.#nextNo,
      orgId,
    };
    this.#remember(entry);
    transaction.onRollback(() => this.forget(entry));
    transaction.append(AGENTS, [
      entry.agentNo,
      orgId,
      entry.agentId,
      entry.identityId,
      entry.displayName,
      entry.isPublic,
      entry.createdAt,
      entry.prunedEvaluations,
    ]);
    return entry;
  }

  /** Replaces an entry after its row has changed. */
  replace(entry: DirectoryEntry): void {
    this.#remember(entry);
  }

  forget({ orgId, agentId, agentNo }: DirectoryEntry): void {
    this.#byOrg.get(orgId)?.delete(agentId);
    this.#byNo.delete(agentNo);
  }

  #remember(entry: DirectoryEntry): void {
    const org = this.#byOrg.get(entry.orgId) ?? new Map<string, DirectoryEntry>();
    this.#byOrg.set(entry.orgId, org.set(entry.agentId, entry));
    this.#byNo.set(entry.agentNo, entry);
    this.#nextNo = Math.max(this.#nextNo, entry.agentNo + 1);
  }
}

export function toAgent({ agentId, identityId, displayName, isPublic, createdAt }: DirectoryEntry): Agent {
  return { agentId, identityId, displayName, isPublic, createdAt };
}
