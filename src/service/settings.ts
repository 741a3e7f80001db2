/** What an org has chosen. */

import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';

export interface Settings {
  require_signatures: boolean;
}

const DEFAULTS: Settings = { require_signatures: false };
const PLACE = { kind: 'settings', id: 'org' };

export async function readSettings({ store }: ServiceContext, orgId: string): Promise<Settings> {
  const stored = await store.documents.get(orgId, PLACE.kind, PLACE.id);
  return { ...DEFAULTS, ...(stored?.body as Partial<Settings> | undefined) };
}

/** Of two changes at once one is refused with `conflict`, so that neither is lost unseen. */
export async function changeSettings(
  context: ServiceContext,
  caller: Caller,
  change: { require_signatures?: boolean | undefined },
): Promise<Settings> {
  const { store, clock } = context;
  const stored = await store.documents.get(caller.orgId, PLACE.kind, PLACE.id);
  const settings: Settings = {
    ...DEFAULTS,
    ...(stored?.body as Partial<Settings> | undefined),
    ...(change.require_signatures !== undefined && { require_signatures: change.require_signatures }),
  };
  const note = JSON.stringify(settings);
  await store.documents.put(
    caller.orgId,
    { ...PLACE, body: settings, at: clock(), expectedVersion: stored?.version ?? 0 },
    auditEntry(context, caller, { action: 'settings.change', target: caller.orgId, note }),
  );
  return settings;
}
