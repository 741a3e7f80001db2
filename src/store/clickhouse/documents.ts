/**
 * Small things that change. Each write appends the next step of a document, and of several writers of the same step exactly
 * one gets it in, so compare-and-set holds between nodes. A deletion is a step too; versions begin anew after it.
 */
import { documentConflict } from '../document-conflict.ts';
import type { Document, Documents } from '../store.ts';
import type { AuditLog } from './audit-log.ts';
import type { Connection } from './connection.ts';
import { insertOnce } from './insert-once.ts';
import type { WriteQueue } from './write-queue.ts';

interface Key {
  orgId: string;
  kind: string;
  id: string;
}

/** The last step of a document. Version 0 says that it was deleted. */
interface Step {
  org_id: string;
  kind: string;
  id: string;
  step: number;
  version: number;
  updated_at: number;
  body: string;
}

const COLUMNS = 'org_id, kind, id, toFloat64(step) AS step, toFloat64(version) AS version, updated_at, body';
const THIS_ONE = 'org_id = {orgId:String} AND kind = {kind:String} AND id = {id:String}';
/** Older steps than the last few are of no use; they are removed once in so many. */
const STEPS_KEPT = 32;

export function createDocuments(connection: Connection, queue: WriteQueue, log: AuditLog): Documents {
  return {
    async get(orgId, kind, id) {
      const last = await readLast(connection, { orgId, kind, id });
      return last && last.version > 0 ? toDocument(last) : null;
    },

    async list(orgId, kind, { cursor, limit, descending = false }) {
      const after = cursor == null ? '' : `AND id ${descending ? '<' : '>'} {cursor:String}`;
      const rows = await readSteps(connection, {
        where: `org_id = {orgId:String} AND kind = {kind:String} ${after}`,
        parameters: { orgId, kind, ...(cursor != null && { cursor }) },
        further: `ORDER BY id ${descending ? 'DESC' : 'ASC'} LIMIT ${limit + 1}`,
      });
      const items = rows.slice(0, limit).map(toDocument);
      return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
    },

    put: (orgId, { kind, id, body, at, expectedVersion }, audit) =>
      queue.run(async () => {
        const key = { orgId, kind, id };
        for (;;) {
          const last = await readLast(connection, key);
          const version = last?.version ?? 0;
          if (expectedVersion !== undefined && expectedVersion !== version) {
            throw documentConflict({ kind, id }, { version, expectedVersion });
          }
          const next = { kind, id, version: version + 1, updatedAt: at, body };
          // Who loses looks again: with an expected version that ends in a conflict, without one it comes next.
          if (!(await insertStep(connection, key, { last, next }))) continue;
          await log.write(orgId, audit);
          return next;
        }
      }),

    delete: (orgId, kind, id, audit) =>
      queue.run(async () => {
        if (!(await deleteDocument(connection, { orgId, kind, id }))) return false;
        await log.write(orgId, audit);
        return true;
      }),

    expire: (kind, before) =>
      queue.run(async () => {
        const old = await readSteps(connection, {
          where: 'kind = {kind:String}',
          parameters: { kind, before },
          further: 'AND updated_at < {before:Float64}',
        });
        const deleted = await Promise.all(
          old.map(({ org_id, id }) => deleteDocument(connection, { orgId: org_id, kind, id })),
        );
        return deleted.filter(Boolean).length;
      }),
  };
}

/** The documents there are, each as it was last written. */
export async function readSteps(
  connection: Connection,
  { where, parameters, further = '' }: { where: string; parameters?: object; further?: string },
): Promise<Step[]> {
  return connection.query<Step>(
    `SELECT ${COLUMNS} FROM (
       SELECT * FROM documents WHERE ${where} ORDER BY step DESC LIMIT 1 BY org_id, kind, id
     ) AS last WHERE last.version > 0 ${further}`,
    { ...parameters },
  );
}

export async function readLast(connection: Connection, key: Key): Promise<Step | undefined> {
  const [last] = await connection.query<Step>(
    `SELECT ${COLUMNS} FROM documents WHERE ${THIS_ONE} ORDER BY documents.step DESC LIMIT 1`,
    { ...key },
  );
  return last;
}

/** False when another writer came first. */
export async function insertStep(
  connection: Connection,
  { orgId, kind, id }: Key,
  { last, next }: { last: Step | undefined; next: Pick<Document, 'version' | 'updatedAt' | 'body'> },
): Promise<boolean> {
  const step = (last?.step ?? 0) + 1;
  const won = await insertOnce(connection, {
    table: 'documents',
    row: {
      org_id: orgId,
      kind,
      id,
      step,
      version: next.version,
      updated_at: next.updatedAt,
      body: JSON.stringify(next.body),
    },
    token: JSON.stringify(['document', orgId, kind, id, step]),
    writers: () =>
      connection.query(`SELECT writer FROM documents WHERE ${THIS_ONE} AND step = {step:UInt64}`, {
        orgId,
        kind,
        id,
        step,
      }),
  });
  if (won && step % STEPS_KEPT === 0) await forgetBefore(connection, { orgId, kind, id }, step - 1);
  return won;
}

/** What was in it is gone with the deletion, not only out of sight. */
async function deleteDocument(connection: Connection, key: Key): Promise<boolean> {
  const last = await readLast(connection, key);
  if (!last || last.version === 0) return false;
  const next = { version: 0, updatedAt: last.updated_at, body: null };
  if (!(await insertStep(connection, key, { last, next }))) return deleteDocument(connection, key);
  await forgetBefore(connection, key, last.step + 1);
  return true;
}

function forgetBefore(connection: Connection, key: Key, step: number): Promise<void> {
  return connection.delete('documents', `${THIS_ONE} AND step < {step:UInt64}`, { ...key, step });
}

export function toDocument({ kind, id, version, updated_at, body }: Step): Document {
  return { kind, id, version, updatedAt: updated_at, body: JSON.parse(body) };
}
