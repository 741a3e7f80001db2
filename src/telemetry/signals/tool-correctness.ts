/**
 * How well tools were used: the share of calls that went right, among those whose outcome is known. A call that failed, one
 * of a tool there is not and one whose arguments were refused went wrong; the same call made again, unchanged, after it
 * had failed counts twice, because the agent was told.
 */
import type { Extractor, ToolCall, Turn } from './turn.ts';

export const toolCorrectness: Extractor = {
  version: 1,
  unit: 'calls',
  measure({ calls, tools }) {
    let counted = 0;
    let wrong = 0;
    const failed = new Set<string>();
    for (const call of calls) {
      const isWrong = outcomeOf(call, tools);
      if (isWrong === null) continue;
      counted++;
      const key = call.input === null ? null : `${call.name}\n${call.input}`;
      if (!isWrong) {
        if (key !== null) failed.delete(key);
        continue;
      }
      wrong++;
      if (key === null) continue;
      if (failed.has(key)) {
        counted++;
        wrong++;
      }
      failed.add(key);
    }
    return counted === 0 ? null : { value: 1 - wrong / counted, from: calls.length };
  },
};

/** Whether a call went wrong; null when nobody can tell. */
function outcomeOf({ name, ok, output }: ToolCall, tools: Turn['tools']): boolean | null {
  if (tools !== null && !tools.has(name)) return true;
  if (ok !== null) return !ok;
  return output !== null && REFUSED.test(output.slice(0, 500)) ? true : null;
}

/** What hosts answer in place of a result when a tool is unknown or its arguments do not fit. */
const REFUSED =
  /\b(unknown tool|no such tool|tool (\S+ )?(was )?not found|InputValidationError|invalid (tool )?(arguments|parameters|input)|does not match (the )?schema)\b/i;
