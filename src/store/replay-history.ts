import type { KnownAs, Reputation } from '../core/reputation.ts';
import type { ReputationWindow } from '../core/reputation-window.ts';

/** A counting evaluation on its way through a window. */
interface Replayed {
  receivedAt: number;
  passed: boolean;
  latencyMs: number;
  agentLatencyMs: number | null;
  knownAs: KnownAs;
  sampleRate: number;
}

/**
 * The reputation at each of some times, in ascending order: `window` is how it stood at the first of them, and `rows` are
 * the counting evaluations since, in order of arrival.
 */
export async function replayHistory(
  window: ReputationWindow,
  rows: AsyncIterable<Replayed>,
  times: readonly number[],
): Promise<Reputation[]> {
  const reputations = [window.reputation()];
  for await (const row of rows) {
    // Each time that lies before this evaluation saw the window without it.
    while ((times[reputations.length] ?? Number.POSITIVE_INFINITY) < row.receivedAt) {
      reputations.push(window.reputation());
    }
    const { passed, latencyMs, agentLatencyMs, knownAs, sampleRate } = row;
    window.push(passed, latencyMs, agentLatencyMs ?? undefined, knownAs, sampleRate);
  }
  while (reputations.length < times.length) reputations.push(window.reputation());
  return reputations;
}
