/** Small things that change, read from the file each time; the commit queue makes compare-and-set a plain comparison. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { documentConflict } from '../document-conflict.ts';
import type { Document, Documents } from '../store.ts';
import { writeAudit } from './audit.ts';
import type { CommitQueue } from './commit-queue.ts';
import { query } from './query.ts';
import type { Transaction } from './transaction.ts';

/** A document as its row has it: the body still text. */
export type DocumentRow = Omit<Document, 'body'> & { body: string };

export const DOCUMENT_COLUMNS = 'kind, id, version, updated_at AS "updatedAt", body';

const THIS_ONE = 'org_id = $orgId AND kind = $kind AND id = $id';

export function createDocuments(reader: DuckDBConnection, queue: CommitQueue): Documents {
  return {
    async get(orgId, kind, id) {
      const [row] = await query<DocumentRow>(
        reader,
        `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE ${THIS_ONE}`,
        { orgId, kind, id },
      );
      return row ? fromDocumentRow(row) : null;
    },

    async list(orgId, kind, { cursor, limit, descending = false }) {
      const after = cursor == null ? '' : `AND id ${descending ? '<' : '>'} $cursor`;
      const rows = await query<DocumentRow>(
        reader,
        `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE org_id = $orgId AND kind = $kind ${after}
         ORDER BY id ${descending ? 'DESC' : 'ASC'} LIMIT ${limit + 1}`,
        { orgId, kind, ...(cursor != null && { cursor }) },
      );
      const items = rows.slice(0, limit).map(fromDocumentRow);
      return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
    },

    put: (orgId, { kind, id, body, at, expectedVersion }, audit) =>
      queue.write(async (transaction) => {
        const version = await versionOf(transaction, { orgId, kind, id });
        if (expectedVersion !== undefined && expectedVersion !== version) {
          throw documentConflict({ kind, id }, { version, expectedVersion });
        }
        const next = { kind, id, version: version + 1, updatedAt: at, body };
        if (version > 0)
          await transaction.run(`DELETE FROM documents WHERE ${THIS_ONE}`, { orgId, kind, id });
        await insertDocument(transaction, orgId, next);
        await writeAudit(transaction, orgId, audit);
        return () => next;
      }),

    delete: (orgId, kind, id, audit) =>
      queue.write(async (transaction) => {
        const existed = (await versionOf(transaction, { orgId, kind, id })) > 0;
        if (existed) {
          await transaction.run(`DELETE FROM documents WHERE ${THIS_ONE}`, { orgId, kind, id });
          await writeAudit(transaction, orgId, audit);
        }
        return () => existed;
      }),

    expire: (kind, before) =>
      queue.write(async (transaction) => {
        const expired = await transaction.query(
          'DELETE FROM documents WHERE kind = $kind AND updated_at < $before RETURNING 1',
          { kind, before },
        );
        return () => expired.length;
      }),
  };
}

/** 0 when there is none. */
export async function versionOf(
  transaction: Transaction,
  which: { orgId: string; kind: string; id: string },
): Promise<number> {
  const [found] = await transaction.query<{ version: number }>(
    `SELECT version FROM documents WHERE ${THIS_ONE}`,
    which,
  );
  return found?.version ?? 0;
}

export async function insertDocument(
  transaction: Transaction,
  orgId: string,
  { body, ...same }: Document,
): Promise<void> {
  await transaction.run('INSERT INTO documents VALUES ($orgId, $kind, $id, $version, $updatedAt, $body)', {
    orgId,
    ...same,
    body: JSON.stringify(body),
  });
}

export function fromDocumentRow({ body, ...same }: DocumentRow): Document {
  return { ...same, body: JSON.parse(body) };
}
