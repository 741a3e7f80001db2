/**
 * The one pass over a text that decides which patterns need to look at all. It splits the text into words of ASCII
 * letters, digits and underscores, hashing as it goes, and notes where a word of the vocabulary, a number, a very long
 * word, an assignment to a telling name, an `@`, a `..` or an invisible character stands. Gates then look only there.
 *
 * Every character is read once and every note costs a bounded time, so the pass is linear in the text whatever it says.
 */
import { codesOf, isCapital, isDigit, isSlash, isWord } from './characters.ts';
import { addToHash, lookUp, WORD_LENGTH_MAX } from './vocabulary.ts';

export interface Sightings {
  text: string;
  /** Whether there is more of the text, which was not read. */
  isCut: boolean;
  /** Triples: the number of a word of the vocabulary (see `wordNumber`), where it starts, where it ends. */
  words: number[];
  /** Pairs of start and end: runs of digits that are words of their own. */
  numbers: number[];
  /** Pairs: words of 16 characters and more that are no numbers. */
  longWords: number[];
  /** Pairs: names that end like `token`, `password` or `key`, with something that looks like an assignment behind. */
  assignments: number[];
  /** Where words begin that start like an IBAN: two capital letters and two digits. */
  ibans: number[];
  ats: number[];
  /** Where two dots follow a slash or a backslash. */
  dots: number[];
  pipes: number[];
  /** Invisible characters: zero-width, bidirectional controls, tags. */
  invisibles: number[];
}

const LONG_WORD_LENGTH = 16;

// Kinds of ASCII characters.
const QUIET = 0;
const WORD = 1;
const AT = 2;
const DOT = 3;
const PIPE = 4;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => (isWord(code) ? WORD : QUIET));
KINDS[64] = AT;
KINDS[46] = DOT;
KINDS[124] = PIPE;

/** The last letters of token, password, secret, key, credentials, auth and their like. */
const TELLING_ENDS = codesOf('ndtyhsl');

export function sight(text: string, isCut = false): Sightings {
  const seen: Sightings = {
    text,
    isCut,
    words: [],
    numbers: [],
    longWords: [],
    assignments: [],
    ibans: [],
    ats: [],
    dots: [],
    pipes: [],
    invisibles: [],
  };
  const { length } = text;
  let i = 0;
  while (i < length) {
    let code = text.charCodeAt(i);
    if (code >= 128) {
      if (code >= 0x200b && isInvisible(code) && !goesOn(text, i, code)) seen.invisibles.push(i);
      i++;
      continue;
    }
    const kind = KINDS[code];
    if (kind === QUIET) {
      i++;
      continue;
    }
    if (kind !== WORD) {
      noteMark(seen, kind as number, i++);
      continue;
    }
    const start = i;
    let hash = 0;
    let digits = 0;
    do {
      hash = addToHash(hash, code);
      if (code < 58) digits++;
      code = ++i < length ? text.charCodeAt(i) : 0;
    } while (code < 128 && KINDS[code] === WORD);

    const size = i - start;
    if (digits === size) seen.numbers.push(start, i);
    else {
      if (digits > 0 && size >= 4 && startsLikeIban(text, start)) seen.ibans.push(start);
      if (size >= LONG_WORD_LENGTH) seen.longWords.push(start, i);
    }
    if (size <= WORD_LENGTH_MAX) {
      const number = lookUp(text, start, i, hash);
      if (number >= 0) seen.words.push(number, start, i);
    }
    if (TELLING_ENDS[text.charCodeAt(i - 1) | 32] === 1 && isAssigned(text, i, code))
      seen.assignments.push(start, i);
  }
  return seen;
}

function noteMark(seen: Sightings, kind: number, at: number): void {
  if (kind === AT) seen.ats.push(at);
  else if (kind === PIPE) seen.pipes.push(at);
  else if (seen.text.charCodeAt(at + 1) === 46 && isSlash(seen.text.charCodeAt(at - 1))) seen.dots.push(at);
}

/** `name=`, `name:`, `name =`, `name :`, `"name":`, and the boundary between a field and its value in a walked object. */
function isAssigned(text: string, end: number, code: number): boolean {
  if (code === 61 || code === 58 || code === 12) return true;
  if (code !== 32 && code !== 34 && code !== 39 && code !== 92) return false;
  const next = text.charCodeAt(end + 1);
  return next === 61 || next === 58 || (code === 92 && next === 34);
}

/** Two capital letters and two digits. */
export function startsLikeIban(text: string, start: number): boolean {
  return (
    isCapital(text.charCodeAt(start)) &&
    isCapital(text.charCodeAt(start + 1)) &&
    isDigit(text.charCodeAt(start + 2)) &&
    isDigit(text.charCodeAt(start + 3))
  );
}

/** The fifth of a kind in a row says nothing that the four before it did not, and a text may have a million of them. */
function goesOn(text: string, at: number, code: number): boolean {
  for (let i = at - 4; i < at; i++) if (text.charCodeAt(i) !== code) return false;
  return true;
}

function isInvisible(code: number): boolean {
  return (
    code <= 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x2069) ||
    code === 0xfeff ||
    // The high surrogate of the tag characters U+E0000–U+E03FF.
    code === 0xdb40
  );
}
