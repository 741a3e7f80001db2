/**
 * How sure the agent seems of itself: what it says of its doubts (hedging), what it takes back (reversals), and what it had
 * to try again. A hint and no more: a sure voice can be wrong. It understands English alone. Silent where the agent said too
 * little to tell, or said it in what does not look like English.
 */
import type { Extractor, ToolCall } from './turn.ts';
import { wordsOf } from './words.ts';

const WORDS_MIN = 8;
const HEDGE_COST = 0.6;
const REVERSAL_COST = 0.15;
const RETRY_COST = 0.1;

export const confidence: Extractor = {
  version: 2,
  unit: 'sentences',
  measure({ answers, calls }) {
    const text = answers.join('\n');
    const words = wordsOf(text);
    if (words.length < WORDS_MIN || !isEnglish(words)) return null;
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

function isEnglish(words: readonly string[]): boolean {
  return words.filter((word) => ENGLISH.has(word)).length >= words.length * ENGLISH_SHARE_MIN;
}

/** Among the commonest words of English, and rare in other languages: "was" and "die" are German as well. */
const ENGLISH = new Set(
  'the and that this these with you your are have it its to be not from they there which would'.split(' '),
);
/** A quarter of English prose is made of them; a foreign text has a name or a quotation here and there. */
const ENGLISH_SHARE_MIN = 1 / 15;

/** "Might" is a doubt as a verb alone: not as in "the might of the army", nor in a question that somebody else had. */
const HEDGE =
  /\b(maybe|perhaps|possibly|probably|(?<!\b(the|of|with|all|full|military|his|her|its|our|their|your|my|what|who|whatever)\s+)might(?! of\b)|not (entirely |quite |completely )?(sure|certain)|unsure|uncertain|i (think|guess|believe|suspect|assume)|seems? (to|like)|as far as i (know|can tell)|hard to (say|tell)|i could be wrong)\b/i;
const REVERSAL =
  /\b(actually,? (no|that)|wait[,—-]|on second thought|i was (wrong|mistaken)|my mistake|i made a mistake|let me (correct|undo|revert)|scratch that|that('s| is) not right|contrary to what i)/i;

/** Calls of the same tool right after it failed. */
function countRetries(calls: readonly ToolCall[]): number {
  return calls.filter((call, i) => i > 0 && calls[i - 1]?.ok === false && calls[i - 1]?.name === call.name)
    .length;
}
