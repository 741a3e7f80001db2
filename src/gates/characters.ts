/** Kinds of characters by their codes: what looks at every character of a text cannot afford an expression for each. */

/** The ASCII characters of a text as a table of ones, by their codes. */
export function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(128);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}

export const SPACES = ' \t\n\v\f\r';
export const QUOTES = '"\'`';

export function isSlash(code: number): boolean {
  return code === 47 || code === 92;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

export function isLetter(code: number): boolean {
  return isCapital(code) || (code >= 97 && code <= 122);
}

/** What regular expressions call a word: letters, digits, underscores. */
export function isWord(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 95;
}
