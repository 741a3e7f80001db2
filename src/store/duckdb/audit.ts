import type { DuckDBConnection } from '@duckdb/node-api';
import type { Audit, AuditEntry } from '../store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { parseSeqCursor } from './cursor.ts';
import { query } from './query.ts';
import type { Transaction } from './transaction.ts';

export const AUDIT_COLUMNS = 'audit_id AS "auditId", happened_at AS "at", actor, action, target, note';

const INSERT_AUDIT = `INSERT INTO audit
  SELECT coalesce(max(seq), 0) + 1, $orgId, $auditId, $at, $actor, $action, $target, $note FROM audit`;

/** Notes what a write of the same transaction has done. */
export async function writeAudit(
  transaction: Transaction,
  orgId: string,
  entry: AuditEntry | undefined,
): Promise<void> {
  if (entry) await transaction.run(INSERT_AUDIT, { orgId, ...entry });
}

export function createAudit(reader: DuckDBConnection, queue: CommitQueue): Audit {
  return {
    append: (orgId, entry) =>
      queue.write(async (transaction) => {
        await writeAudit(transaction, orgId, entry);
        return () => undefined;
      }),

    async list(orgId, { cursor, limit }) {
      const before = parseSeqCursor(cursor);
      const rows = await query<AuditEntry & { seq: number }>(
        reader,
        `SELECT seq AS seq, ${AUDIT_COLUMNS} FROM audit
         WHERE org_id = $orgId ${before === null ? '' : `AND seq < ${before}`} ORDER BY seq DESC LIMIT ${limit + 1}`,
        { orgId },
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map(({ seq: _, ...entry }) => entry),
        nextCursor: last && rows.length > limit ? String(last.seq) : null,
      };
    },
  };
}
