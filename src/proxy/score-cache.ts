/**
 * The lower edge of agents' bands, remembered for a while, so that a tool call seldom waits for the server. When the server
 * is away the last one counts a little longer; what is older than that is nothing to go by.
 *
 * One call finds out that the server is away, and waits for it. Those after it take the last score at once, and every
 * `retryMs` one of them asks again in the background. Where there is no score to go by a call always waits: what it
 * would be told otherwise is no.
 */
interface CacheOptions {
  /** Asks the server; throws when it cannot be had. */
  read(agentId: string): Promise<number>;
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number;
  freshMs: number;
  staleMs: number;
  retryMs: number;
}

export function createScoreCache({ read, elapsed, freshMs, staleMs, retryMs }: CacheOptions) {
  const known = new Map<string, { low: number; at: number }>();
  const failedAt = new Map<string, number>();
  const asking = new Map<string, Promise<number | null>>();

  const lastOf = (agentId: string, withinMs: number): number | null => {
    const last = known.get(agentId);
    return last && elapsed() - last.at < withinMs ? last.low : null;
  };

  /** Null where it cannot be had; asks once however many wait for it. */
  const refresh = (agentId: string): Promise<number | null> => {
    const asked =
      asking.get(agentId) ??
      read(agentId)
        .then(
          (low) => {
            known.set(agentId, { low, at: elapsed() });
            failedAt.delete(agentId);
            return low;
          },
          () => {
            failedAt.set(agentId, elapsed());
            return null;
          },
        )
        .finally(() => asking.delete(agentId));
    asking.set(agentId, asked);
    return asked;
  };

  return async (agentId: string): Promise<number | null> => {
    const fresh = lastOf(agentId, freshMs);
    if (fresh !== null) return fresh;
    const failed = failedAt.get(agentId);
    if (failed === undefined || lastOf(agentId, staleMs) === null) {
      // What was told just now counts also where nothing is to be remembered.
      const told = await refresh(agentId);
      if (told !== null) return told;
    } else if (elapsed() - failed >= retryMs) void refresh(agentId);
    return lastOf(agentId, staleMs);
  };
}
