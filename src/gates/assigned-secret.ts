/** Values that look drawn rather than written, assigned to names like `token` or `password`. */
import { before } from './word-rules.ts';

/** The end of a name that holds a secret; `key` alone is any key of any map. */
const NAME =
  /(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|secret|private|auth|encryption|signing|master|account|storage|client|shared|service|app)[_\- ]?key|client[_-]?auth|(?:^|[_-])pass)$/i;

/** What stands between a name and its value: quotes, a type, an equals sign or a colon. */
const OPERATOR = /^\\?["']?\s{0,4}(?::=|=>|[:=]|\f)\s{0,4}(\\?["'`])?/;

const VALUE_LENGTH_MAX = 128;
/** As long as the longest ending above. */
const NAME_REACH = 16;

/** Words that examples use, references to where the secret is kept, and calls that fetch it. */
const PLACEHOLDER =
  /^(?:[<[{(*]|\$[{(A-Z]|%\w|your|my[_-]|x{3,}|\*{3}|\.{3}|env\b|process\.|os\.|secrets?\.|vault:|arn:|https?:|file:|data:image)|example|placeholder|changeme|redacted|dummy|sample|undefined|\bnull\b|password|1234567|abcdef/i;

export function findAssignedSecret(text: string, start: number, end: number): boolean {
  if (!NAME.test(before(text, end, Math.min(end - start + 8, NAME_REACH)))) return false;
  const after = text.slice(end, end + 16);
  const operator = OPERATOR.exec(after);
  if (!operator) return false;
  const quoted = operator[1] !== undefined || after.startsWith('\f');
  const from = end + operator[0].length;
  const value = VALUE.exec(text.slice(from, from + VALUE_LENGTH_MAX))?.[0] ?? '';
  return isDrawn(value, quoted) && !PLACEHOLDER.test(value);
}

/** An equals sign only ends a value, so that no two assignments read the same characters. */
const VALUE = /^[A-Za-z0-9+/_.~!@#$%^&*?-]+={0,2}/;

/** Enough letters and digits, mixed, that nobody would write by hand. An unquoted value may be code, and needs more. */
function isDrawn(value: string, quoted: boolean): boolean {
  if (value.length < (quoted ? 10 : 16)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // Words joined by dots, dashes or underscores are names: `config.auth.token2`, `reset-token-2024-01-15`.
  if (/^[A-Za-z]+\d{0,4}(?:[._/-](?:[A-Za-z]+\d{0,4}|\d{1,4}))*\(?$/.test(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return entropyBits(value) >= (value.length >= 20 ? 3.2 : classes >= 3 ? 2.9 : 3.1);
}

/** Shannon entropy of the characters, in bits each. */
function entropyBits(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
