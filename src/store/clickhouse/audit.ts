import type { Audit } from '../store.ts';
import type { AuditLog } from './audit-log.ts';
import { AUDIT_COLUMNS, type AuditRow, fromAuditRow } from './audit-rows.ts';
import type { Connection } from './connection.ts';
import { parseCursor, toCursor } from './cursor.ts';
import type { WriteQueue } from './write-queue.ts';

export function createAudit(connection: Connection, queue: WriteQueue, log: AuditLog): Audit {
  const appendGroup = async (rows: readonly AuditRow[]) => {
    await log.send(rows);
    return rows.map(() => undefined);
  };
  return {
    append: (orgId, entry) => queue.append(appendGroup, log.toRow(orgId, entry), 1),

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
