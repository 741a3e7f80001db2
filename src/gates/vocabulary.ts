/**
 * The words that make a gate look closer, in lower case, learned from the rules of the gates that a program uses. The one
 * pass over a text knows all of them, so that a text without any of them costs no more than that pass.
 */
export const VOCABULARY: string[] = [];

/** Long enough for every word; longer ones of a text are not looked up. */
export const WORD_LENGTH_MAX = 16;

const FOLDED: Uint8Array[] = [];
const SLOTS = 4096;
const TABLE = new Int16Array(SLOTS);

/** The number by which sightings call a word. */
export function wordNumber(word: string): number {
  const known = VOCABULARY.indexOf(word);
  if (known !== -1) return known;
  const codes = Uint8Array.from(word, (character) => fold(character.charCodeAt(0)));
  let hash = 0;
  for (const code of codes) hash = addToHash(hash, code);
  let slot = hash & (SLOTS - 1);
  while (TABLE[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  FOLDED.push(codes);
  TABLE[slot] = VOCABULARY.push(word);
  return VOCABULARY.length - 1;
}

/** The number of the word that stands here, or -1. */
export function lookUp(text: string, start: number, end: number, hash: number): number {
  let slot = hash & (SLOTS - 1);
  for (let entry = TABLE[slot] as number; entry !== 0; entry = TABLE[slot] as number) {
    const codes = FOLDED[entry - 1] as Uint8Array;
    if (codes.length === end - start) {
      let at = 0;
      while (at < codes.length && codes[at] === fold(text.charCodeAt(start + at))) at++;
      if (at === codes.length) return entry - 1;
    }
    slot = (slot + 1) & (SLOTS - 1);
  }
  return -1;
}

/** The hash of a word and one more character, whatever its case. */
export function addToHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + fold(code)) | 0;
}

function fold(code: number): number {
  return code | 32;
}
