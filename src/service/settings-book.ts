/** What orgs have chosen. The settings last seen are remembered for a few seconds, because every batch asks for them. */
import { LIMITS } from '../core/limits.ts';
import { KINDS, type KnownAs } from '../core/reputation.ts';
import type { Document, Store } from '../store/store.ts';

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

export class SettingsBook {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #seen = new Map<string, { settings: Settings; readAt: number }>();

  constructor(store: Store, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /** As they stood a moment ago: a change on another node counts within seconds. */
  async read(orgId: string): Promise<Settings> {
    const now = this.#clock();
    const seen = this.#seen.get(orgId);
    if (seen && now - seen.readAt < LIMITS.keyTrustMs) return seen.settings;
    const settings = toSettings(
      await this.#store.documents.get(orgId, SETTINGS_PLACE.kind, SETTINGS_PLACE.id),
    );
    if (this.#seen.size >= LIMITS.keysCachedMax) this.#seen.clear();
    this.#seen.set(orgId, { settings, readAt: now });
    return settings;
  }

  forget(orgId: string): void {
    this.#seen.delete(orgId);
  }
}

export function toSettings(stored: Document | null): Settings {
  return { ...DEFAULTS, ...(stored?.body as Partial<Settings> | undefined) };
}
