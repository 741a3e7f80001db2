import { toPageRequest, toPageWire, toTime } from '../core/contract/fields.ts';
import type { AuditEntry } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';

/** Who did what to what, for the store to write together with the change. */
export function auditEntry(
  { clock, newId }: Pick<ServiceContext, 'clock' | 'newId'>,
  { actor }: Caller,
  what: Pick<AuditEntry, 'action' | 'target'> & { note?: string },
): AuditEntry {
  return { auditId: newId(), at: clock(), actor, note: '', ...what };
}

export async function listAudit(
  { store }: Pick<ServiceContext, 'store'>,
  { orgId }: Caller,
  query: { cursor?: string | undefined; limit?: number | undefined },
) {
  const page = await store.audit.list(orgId, toPageRequest(query));
  return toPageWire(page, ({ auditId, at, actor, action, target, note }) => ({
    audit_id: auditId,
    at: toTime(at),
    actor,
    action,
    target,
    note,
  }));
}
