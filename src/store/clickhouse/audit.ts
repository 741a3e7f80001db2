import { randomUUID } from 'node:crypto';
import type { Audit, AuditEntry } from '../store.ts';
import type { Arrival } from './arrival.ts';
import type { Connection } from './connection.ts';
import { parseCursor, toCursor } from './cursor.ts';
import type { Outbox } from './outbox.ts';
import type { WriteQueue } from './write-queue.ts';

export interface AuditRow {
  org_id: string;
  recorded_at: number;
  place: number;
  audit_id: string;
  at: number;
  actor: string;
  action: string;
  target: string;
  note: string;
}

interface AuditContext {
  connection: Connection;
  queue: WriteQueue;
  outbox: Outbox;
  /** Of its own, so that an entry takes no place among the evaluations. */
  arrival: Arrival;
}

export const AUDIT_COLUMNS = `toFloat64(recorded_at) AS recorded_at, place, audit_id, at, actor, action, target, note`;

export function createAudit({ connection, queue, outbox, arrival }: AuditContext): Audit {
  const appendGroup = async (rows: readonly AuditRow[]) => {
    await outbox.send({ table: 'audit', token: randomUUID(), rows: [...rows] });
    return rows.map(() => undefined);
  };
  return {
    append: (orgId, entry) => queue.append(appendGroup, toAuditRow(orgId, entry, arrival), 1),

    async list(orgId, { cursor, limit }) {
      const after = cursor == null ? null : parseCursor(cursor);
      const older = 'AND (audit.recorded_at, place, audit_id) < ({at:Int64}, {place:UInt32}, {id:String})';
      const rows = await connection.query<AuditRow>(
        `SELECT ${AUDIT_COLUMNS} FROM audit WHERE org_id = {orgId:String} ${after ? older : ''}
         ORDER BY audit.recorded_at DESC, place DESC, audit_id DESC LIMIT 1 BY audit_id LIMIT ${limit + 1}`,
        { orgId, ...after },
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map(fromAuditRow),
        nextCursor:
          last && rows.length > limit
            ? toCursor({ at: last.recorded_at, place: last.place, id: last.audit_id })
            : null,
      };
    },
  };
}

export function toAuditRow(orgId: string, entry: AuditEntry, arrival: Arrival): AuditRow {
  const { auditId, at, actor, action, target, note } = entry;
  const { at: recordedAt, place } = arrival.next();
  return {
    org_id: orgId,
    recorded_at: recordedAt,
    place,
    audit_id: auditId,
    at,
    actor,
    action,
    target,
    note,
  };
}

export function fromAuditRow({ audit_id, at, actor, action, target, note }: AuditRow): AuditEntry {
  return { auditId: audit_id, at, actor, action, target, note };
}
