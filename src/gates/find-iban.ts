/** International bank account numbers: the length of their country, and check digits that come out (ISO 13616). */

import { startsLikeIban } from './sightings.ts';

/** By the two letters of the country, read as a number in base 32. */
const LENGTHS = new Uint8Array(1024);
for (const entry of '15NO 16BE 18DKFIFOGLNL 19MKSI 20ATBAEEKZLTLUXK 21CHHRLILV 22BGBHCRDEGBGEIEMERSVA 23AEGIILIQTL 24ADCZESMDPKROSASESKTNVG 25LYPTST 26ISTR 27FRGRITMCMRSM 28ALAZBYCYDOGTHULBPLSV 29BREGPSQAUA 30JOKWMU 31MTSC 32LC'.split(
  ' ',
)) {
  for (let at = 2; at < entry.length; at += 2) LENGTHS[countryAt(entry, at)] = Number.parseInt(entry, 10);
}

function countryAt(text: string, start: number): number {
  return (text.charCodeAt(start) & 31) * 32 + (text.charCodeAt(start + 1) & 31);
}

/** What a character counts in a check: digits as they are, letters from ten; 99 for what is no part of an IBAN. */
const VALUES = new Uint8Array(128).fill(99);
for (let value = 0; value < 36; value++) VALUES[value.toString(36).toUpperCase().charCodeAt(0)] = value;

/** Where the IBAN that starts here ends, written in one piece or in groups of four; undefined when there is none. */
export function findIban(text: string, start: number): number | undefined {
  const length = LENGTHS[countryAt(text, start)] as number;
  if (length === 0) return undefined;
  // The first four characters go last, so that their remainder waits (ISO 7064, MOD 97-10).
  let rest = 0;
  let at = start + 4;
  const bankSize = text.startsWith('GE', start) ? 4 : 0;
  for (let size = 4; size < length; size++) {
    if (size % 4 === 0 && isGap(text.charCodeAt(at))) {
      at++;
      // Where another begins this one is none, and nothing is read twice. A Georgian bank looks like a beginning.
      if (size > bankSize && startsLikeIban(text, at) && LENGTHS[countryAt(text, at)] !== 0) return undefined;
    }
    const value = VALUES[text.charCodeAt(at++)] as number;
    if (!(value < 99)) return undefined;
    rest = add(rest, value);
  }
  if ((VALUES[text.charCodeAt(at)] as number) < 99) return undefined;
  for (let i = start; i < start + 4; i++) rest = add(rest, VALUES[text.charCodeAt(i)] as number);
  return rest % 97 === 1 ? at : undefined;
}

/** A division is dear, and needed only before the number grows too large for a small integer. */
function add(rest: number, value: number): number {
  const small = rest < 9e6 ? rest : rest % 97;
  return value > 9 ? small * 100 + value : small * 10 + value;
}

/** A space, one that does not break, or a dash. */
function isGap(code: number): boolean {
  return code === 32 || code === 45 || code === 0xa0 || code === 0x202f;
}
