import { createDetector } from '../core/stats/change-detector.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';
import { SETTINGS_PLACE, type Settings, toSettings } from './settings-book.ts';

/** Of two changes at once one is refused with `conflict`, so that neither is lost unseen. */
export async function changeSettings(
  context: ServiceContext,
  caller: Caller,
  change: { [K in keyof Settings]?: Settings[K] | undefined },
): Promise<Settings> {
  const { store, clock, settings: book } = context;
  const stored = await store.documents.get(caller.orgId, SETTINGS_PLACE.kind, SETTINGS_PLACE.id);
  const settings = { ...toSettings(stored), ...given(change) };
  // Refuses a baseline that no detector can work with.
  createDetector(settings.baseline_pass_rate);
  await store.documents.put(
    caller.orgId,
    { ...SETTINGS_PLACE, body: settings, at: clock(), expectedVersion: stored?.version ?? 0 },
    auditEntry(context, caller, {
      action: 'settings.change',
      target: caller.orgId,
      note: JSON.stringify(settings),
    }),
  );
  book.forget(caller.orgId);
  return settings;
}

/** What is absent stays as it was. */
function given(change: { [K in keyof Settings]?: Settings[K] | undefined }): Partial<Settings> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
