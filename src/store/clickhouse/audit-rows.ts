/** An entry of the audit log as a row, and back. */
import type { AuditEntry } from '../store.ts';

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

export const AUDIT_COLUMNS = `toFloat64(recorded_at) AS recorded_at, place, audit_id, at, actor, action, target, note`;

export function fromAuditRow({ audit_id, at, actor, action, target, note }: AuditRow): AuditEntry {
  return { auditId: audit_id, at, actor, action, target, note };
}
