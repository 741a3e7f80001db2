import { selectMedian } from '../core/stats/select.ts';

/** How a session dealt with tools that failed. */
export interface FailureSigns {
  longestFailureRun: number;
  /** From the first failure of a run to the next success; null where there was none. */
  recovery: { times: number; medianCalls: number; medianSeconds: number } | null;
  /** Whether the session ended with a failure that nothing made good. */
  unrecovered: boolean;
}

/** Walks the tool results of a session in the order of their time. */
export function followFailures(
  tools: readonly number[],
  { at, outcome }: { at: Float64Array; outcome: Uint8Array },
): FailureSigns {
  const calls: number[] = [];
  const seconds: number[] = [];
  let longest = 0;
  let run = 0;
  let failedAt = 0;
  for (const row of tools) {
    const time = at[row] as number;
    if (outcome[row] === 2) {
      if (run === 0) failedAt = time;
      run++;
      longest = Math.max(longest, run);
    } else if (run > 0) {
      calls.push(run);
      seconds.push((time - failedAt) / 1_000);
      run = 0;
    }
  }
  return {
    longestFailureRun: longest,
    recovery:
      calls.length === 0
        ? null
        : {
            times: calls.length,
            medianCalls: selectMedian(Float64Array.from(calls)),
            medianSeconds: selectMedian(Float64Array.from(seconds)),
          },
    unrecovered: run > 0,
  };
}
