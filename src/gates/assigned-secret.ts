/** Values that look drawn rather than written, assigned to names like `token` or `password`. */
import { codesOf, isCapital, isDigit, isLetter, isWord, QUOTES } from './characters.ts';
import { before } from './word-rules.ts';

/** The end of a name that holds a secret; `key` alone is any key of any map. */
const NAME =
  /(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|secret|private|auth|encryption|signing|master|account|storage|client|shared|service|app)[_\- ]?key|client[_-]?auth|(?:^|[_-])pass)$/i;

const FORM_FEED = 12;
const COLON = 58;
const EQUALS = 61;
const BACKSLASH = 92;

const VALUE_LENGTH_MAX = 128;
/** As long as the longest ending above. */
const NAME_REACH = 16;

/** Words that examples use, references to where the secret is kept, and calls that fetch it. */
const PLACEHOLDER =
  /^(?:[<[{(*]|\$[{(A-Z]|%\w|your|my[_-]|x{3,}|\*{3}|\.{3}|env\b|process\.|os\.|secrets?\.|vault:|arn:|https?:|file:|data:image)|example|placeholder|changeme|redacted|dummy|sample|undefined|\bnull\b|password|1234567|abcdef/i;

/** Names that end in `token` and hold a place in a list. */
const PLACE_IN_LIST = /(?:page|sync|next|cursor|continuation)[_-]?token$/i;

export function findAssignedSecret(text: string, start: number, end: number): boolean {
  const from = startOfValue(text, end);
  const to = endOfValue(text, from);
  // The name is the dearest to look at.
  if (to - from < 10) return false;
  const name = before(text, end, Math.min(end - start + 8, NAME_REACH));
  if (!NAME.test(name)) return false;
  const boundary = text.charCodeAt(from - 1);
  const quoted = boundary === 12 || QUOTED[boundary] === 1;
  const value = text.slice(from, to);
  const kinds = kindsOf(value);
  if (!quoted) {
    // It may be code: a call is, and what is short must be a password with every kind of character in it.
    if (text.charCodeAt(to) === 40) return false;
    if (value.length < 16 && !(kinds === 15 && /[!@#$%^&*?~+]/.test(value) && /pass|pwd/i.test(name)))
      return false;
  }
  return isDrawn(value, kinds) && !PLACEHOLDER.test(value) && !PLACE_IN_LIST.test(before(text, end, 20));
}

const QUOTED = codesOf(QUOTES);

/** Behind the quotes, the spaces, the equals sign or the colon between a name and its value; the end of the name without one. */
function startOfValue(text: string, end: number): number {
  let at = end;
  if (text.charCodeAt(at) === BACKSLASH) at++;
  if (QUOTED[text.charCodeAt(at)] === 1) at++;
  at = skipSpaces(text, at);
  const code = text.charCodeAt(at);
  if (code !== COLON && code !== EQUALS && code !== FORM_FEED) return end;
  // Also `:=` and `=>`.
  const next = text.charCodeAt(++at);
  if ((code === COLON && next === EQUALS) || (code === EQUALS && next === 62)) at++;
  at = skipSpaces(text, at);
  if (text.charCodeAt(at) === BACKSLASH) at++;
  return QUOTED[text.charCodeAt(at)] === 1 ? at + 1 : at;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < from + 4 && text.charCodeAt(at) <= 32 && text.charCodeAt(at) !== FORM_FEED) at++;
  return at;
}

const SIGNS = codesOf('+/_.~!@#$%^&*?-');

/** An equals sign only ends a value, so that no two assignments read the same characters. */
function endOfValue(text: string, from: number): number {
  const limit = from + VALUE_LENGTH_MAX;
  let to = from;
  for (; to < limit; to++) {
    const code = text.charCodeAt(to);
    if (!isWord(code) && SIGNS[code] !== 1) break;
  }
  for (let i = 0; i < 2 && to > from && text.charCodeAt(to) === 61; i++) to++;
  return to;
}

/** Kinds of characters, as bits. */
const [LOWER, UPPER, DIGIT, SIGN] = [1, 2, 4, 8];

function kindsOf(value: string): number {
  let kinds = 0;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    kinds |= isDigit(code) ? DIGIT : isCapital(code) ? UPPER : isLetter(code) ? LOWER : SIGN;
  }
  return kinds;
}

/** Enough letters and digits, mixed, that nobody would write by hand. */
function isDrawn(value: string, kinds: number): boolean {
  if ((kinds & DIGIT) === 0 || (kinds & (LOWER | UPPER)) === 0) return false;
  // Words joined by dots, dashes or underscores are names: `config.auth.token2`, `reset-token-2024-01-15`.
  if (/^[A-Za-z]+\d{0,4}(?:[._/-](?:[A-Za-z]+\d{0,4}|\d{1,4}))*$/.test(value)) return false;
  const mixed = kinds !== (LOWER | DIGIT) && kinds !== (UPPER | DIGIT);
  return entropyBits(value) >= (value.length >= 20 ? 3.2 : mixed ? 2.9 : 3.1);
}

/** How often each character occurs; all zero between two calls. */
const COUNTS = new Uint8Array(128);
const BITS = Float64Array.from({ length: VALUE_LENGTH_MAX + 3 }, (_, count) => count * Math.log2(count || 1));

/** Shannon entropy of the characters, in bits each. */
function entropyBits(value: string): number {
  const { length } = value;
  for (let at = 0; at < length; at++) (COUNTS[value.charCodeAt(at)] as number)++;
  let bits = 0;
  for (let at = 0; at < length; at++) {
    const code = value.charCodeAt(at);
    bits += BITS[COUNTS[code] as number] as number;
    COUNTS[code] = 0;
  }
  return Math.log2(length) - bits / length;
}
