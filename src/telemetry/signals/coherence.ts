/**
 * Whether the answer is about what was asked: how many of the words that carry meaning, in the shorter of the two, are in
 * the other as well. A quarter shared is as good as all: answers need not repeat questions. Words alone cannot tell a
 * right answer from a wrong one on the same subject, and do not pretend to. Silent where either is too short to say.
 */
import type { Extractor } from './turn.ts';
import { wordsOf } from './words.ts';

const WORDS_MIN = 4;
const ENOUGH_SHARED = 0.25;

export const coherence: Extractor = {
  version: 1,
  unit: 'words',
  measure({ request, answers }) {
    if (request === null || answers.length === 0) return null;
    const asked = meaningful(request);
    const said = meaningful(answers.join('\n'));
    const shorter = Math.min(asked.size, said.size);
    if (shorter < WORDS_MIN) return null;
    let shared = 0;
    for (const word of asked) if (said.has(word)) shared++;
    return { value: Math.min(1, shared / shorter / ENOUGH_SHARED), from: shorter };
  },
};

/** Words of four letters and more by their first six, so that "deploy" meets "deployment". */
function meaningful(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => word.length > 3 && !COMMON.has(word))
      .map((word) => word.slice(0, 6)),
  );
}

const COMMON = new Set(
  `that this with from have what when where which will would could should there their them then than they your yours
  please just like make made need want into about some more most very also been being were does done only over such
  here these those because while after before other each both between through again once`.split(/\s+/),
);
