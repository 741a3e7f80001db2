/** What orgs have chosen. */
import { KINDS, type KnownAs } from '../core/reputation.ts';
import type { Document, Store } from '../store/store.ts';
import { Remembered } from './remembered.ts';

export interface Settings {
  require_signatures: boolean;
  /** Which evaluations count, by how they are known. */
  counting_kinds: readonly KnownAs[];
  /** What the change detector holds agents to, where the org says so. */
  baseline_pass_rate: number | null;
  /** An alert is raised for an agent below it. */
  score_floor: number | null;
  /** How long the same alert about the same subject is not said again. */
  alert_quiet_s: number;
}

const DEFAULTS: Settings = {
  require_signatures: false,
  counting_kinds: KINDS,
  baseline_pass_rate: null,
  score_floor: null,
  alert_quiet_s: 3_600,
};
/** Where they stand among the documents of an org. */
export const SETTINGS_PLACE = { kind: 'settings', id: 'org' };

export class SettingsBook extends Remembered<Settings> {
  constructor(store: Store, clock: () => number) {
    const { kind, id } = SETTINGS_PLACE;
    super(clock, async (orgId) => toSettings(await store.documents.get(orgId, kind, id)));
  }
}

export function toSettings(stored: Document | null): Settings {
  return { ...DEFAULTS, ...(stored?.body as Partial<Settings> | undefined) };
}
