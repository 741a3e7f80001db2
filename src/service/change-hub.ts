/**
 * Tells whoever watches an org that something has changed there, within this process. It carries no data: a watcher
 * reads the ledger, which knows more, and on several nodes knows of all of them.
 */
type Watcher = (agentIds: readonly string[]) => void;

export class ChangeHub {
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #ofAll = new Set<(orgId: string) => void>();

  /** `agentIds` are those whose score may have changed. */
  changed(orgId: string, agentIds: readonly string[]): void {
    for (const watcher of this.#watchers.get(orgId) ?? []) watcher(agentIds);
    for (const watcher of this.#ofAll) watcher(orgId);
  }

  /** Returns what ends the watching. */
  watch(orgId: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(orgId) ?? new Set();
    this.#watchers.set(orgId, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(orgId);
    };
  }

  /** The same for every org, also those that come into being later. */
  watchAll(watcher: (orgId: string) => void): () => void {
    this.#ofAll.add(watcher);
    return () => this.#ofAll.delete(watcher);
  }
}
