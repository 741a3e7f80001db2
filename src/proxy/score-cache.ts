/**
 * The lower edge of agents' bands, remembered for a while, so that a tool call seldom waits for the server. When the server
 * is away the last one counts a little longer; what is older than that is nothing to go by.
 */
interface CacheOptions {
  /** Asks the server; throws when it cannot be had. */
  read(agentId: string): Promise<number>;
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number;
  freshMs: number;
  staleMs: number;
}

export function createScoreCache({ read, elapsed, freshMs, staleMs }: CacheOptions) {
  const known = new Map<string, { low: number; at: number }>();
  return async (agentId: string): Promise<number | null> => {
    const last = known.get(agentId);
    if (last && elapsed() - last.at < freshMs) return last.low;
    try {
      const low = await read(agentId);
      known.set(agentId, { low, at: elapsed() });
      return low;
    } catch {
      return last && elapsed() - last.at < staleMs ? last.low : null;
    }
  };
}
