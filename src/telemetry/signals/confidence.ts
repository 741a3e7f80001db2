/**
 * How sure the agent seems of itself: what it says of its doubts (hedging), what it takes back (reversals), and what it had
 * to try again. A hint and no more: a sure voice can be wrong. Silent where the agent said too little to tell.
 */
import type { Extractor, ToolCall } from './turn.ts';
import { wordsOf } from './words.ts';

const WORDS_MIN = 8;
const HEDGE_COST = 0.6;
const REVERSAL_COST = 0.15;
const RETRY_COST = 0.1;

export const confidence: Extractor = {
  version: 1,
  unit: 'sentences',
  measure({ answers, calls }) {
    const text = answers.join('\n');
    if (wordsOf(text).length < WORDS_MIN) return null;
    const sentences = text.split(/[.!?…]+(?:\s|$)|\n+/).filter((sentence) => /\p{L}/u.test(sentence));
    // Numbers are words, and make no sentence.
    if (sentences.length === 0) return null;
    const hedged = sentences.filter((sentence) => HEDGE.test(sentence)).length;
    const reversed = sentences.filter((sentence) => REVERSAL.test(sentence)).length;
    const cost =
      HEDGE_COST * (hedged / sentences.length) + REVERSAL_COST * reversed + RETRY_COST * countRetries(calls);
    return { value: Math.max(0, 1 - cost), from: sentences.length };
  },
};

const HEDGE =
  /\b(maybe|perhaps|possibly|probably|might|not (entirely |quite |completely )?(sure|certain)|unsure|uncertain|i (think|guess|believe|suspect|assume)|seems? (to|like)|as far as i (know|can tell)|hard to (say|tell)|i could be wrong)\b/i;
const REVERSAL =
  /\b(actually,? (no|that)|wait[,—-]|on second thought|i was (wrong|mistaken)|my mistake|i made a mistake|let me (correct|undo|revert)|scratch that|that('s| is) not right|contrary to what i)/i;

/** Calls of the same tool right after it failed. */
function countRetries(calls: readonly ToolCall[]): number {
  return calls.filter((call, i) => i > 0 && calls[i - 1]?.ok === false && calls[i - 1]?.name === call.name)
    .length;
}
