/**
 * How well tools were used: the share of calls that went right, among those whose outcome is known. A call that failed, one
 * of a tool there is not and one whose arguments were refused went wrong; the same call made again, unchanged, after it
 * had failed counts twice, because the agent was told. Chats in the manner of OpenAI do not say how a call went: its output
 * has to tell. There a call that did not visibly fail went right, if outcomes can be seen in this turn at all.
 */
import type { Extractor, ToolCall, Turn } from './turn.ts';

export const toolCorrectness: Extractor = {
  version: 2,
  unit: 'known outcomes',
  measure({ calls, tools }) {
    const known = knownOutcomes(calls, tools);
    let counted = known.length;
    let wrong = 0;
    const failed = new Set<string>();
    for (const { call, isWrong } of known) {
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
    return counted === 0 ? null : { value: 1 - wrong / counted, from: known.length };
  },
};

function knownOutcomes(calls: readonly ToolCall[], tools: Turn['tools']) {
  const told = calls.map((call) => ({ call, isWrong: outcomeOf(call, tools) }));
  if (told.every(({ isWrong }) => isWrong === null)) return [];
  return told
    .filter(({ call, isWrong }) => isWrong !== null || call.output !== null)
    .map(({ call, isWrong }) => ({ call, isWrong: isWrong ?? false }));
}

/** Whether a call went wrong; null when that alone does not tell. */
function outcomeOf({ name, ok, output }: ToolCall, tools: Turn['tools']): boolean | null {
  if (tools !== null && !tools.has(name)) return true;
  if (ok !== null) return !ok;
  const start = output?.slice(0, OUTPUT_LOOKED_AT_LENGTH) ?? '';
  return REFUSED.test(start) || FAILED.test(start) ? true : null;
}

const OUTPUT_LOOKED_AT_LENGTH = 500;

/** What hosts answer in place of a result when a tool is unknown or its arguments do not fit. */
const REFUSED =
  /\b(unknown tool|no such tool|tool (\S+ )?(was )?not found|InputValidationError|invalid (tool )?(arguments|parameters|input)|does not match (the )?schema)\b/i;

/** How an output begins that is an error and nothing else. */
const FAILED =
  /^\s*([Ee]rror:|\w+(Error|Exception):|Traceback \(most recent call last\)|\{\s*"error"\s*:\s*["{])/;
