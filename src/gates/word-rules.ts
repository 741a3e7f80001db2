/** Rules that look at a text where certain words stand, and only there. */
import type { Offence } from './offence.ts';
import type { Sightings } from './sightings.ts';
import { VOCABULARY, wordNumber } from './vocabulary.ts';

/**
 * What is wrong where a word stands, as a short sentence, or undefined. `cover` tells how far the rule has looked: until
 * there the same rule need not look again, which keeps a text that repeats one word a thousand times linear. A rule may
 * cover only what a later start could not see differently.
 */
export type WordRule = (place: Place) => string | undefined;

export interface Place {
  text: string;
  /** The word of the vocabulary that stands here. */
  word: string;
  start: number;
  end: number;
  cover(until: number): void;
}

/** Rules by the words that call them: `'curl wget': rule`. */
export function compileRules(rules: Record<string, WordRule>): (sightings: Sightings) => Offence | undefined {
  const list = Object.values(rules);
  const byWord: (number | undefined)[] = [];
  Object.keys(rules).forEach((words, i) => {
    for (const word of words.split(' ')) byWord[wordNumber(word)] = i;
  });
  // Without holes, which are dear to read.
  const ruleOf = Int16Array.from({ length: byWord.length }, (_, word) => byWord[word] ?? -1);
  return ({ text, words }) => {
    if (words.length === 0) return undefined;
    const covered = new Int32Array(list.length);
    let current = 0;
    const place: Place = {
      text,
      word: '',
      start: 0,
      end: 0,
      cover(until) {
        covered[current] = until;
      },
    };
    for (let i = 0; i < words.length; i += 3) {
      const word = words[i] as number;
      // Other gates may have learned more words since.
      current = ruleOf[word] ?? -1;
      const start = words[i + 1] as number;
      if (current === -1 || start < (covered[current] as number)) continue;
      place.word = VOCABULARY[word] as string;
      place.start = start;
      place.end = words[i + 2] as number;
      const reason = list[current]?.(place);
      if (reason !== undefined) return { reason, at: start };
    }
    return undefined;
  };
}

/** What stands before a place, at most so many characters. */
export function before(text: string, start: number, reach: number): string {
  return text.slice(Math.max(0, start - reach), start);
}
