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
