/**
 * Tells whoever watches an org that something has changed there, within this process. It carries no data: a watcher
 * reads the ledger, which knows more, and on several nodes knows of all of them.
 */
type Watcher = (agentIds: readonly string[]) => void;

export class ChangeHub {
  readonly #watchers = new Map<string, Set<Watcher>>();

  /** `agentIds` are those whose score may have changed. */
  changed(orgId: string, agentIds: readonly string[]): void {
    for (const watcher of this.#watchers.get(orgId) ?? []) watcher(agentIds);
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
}
