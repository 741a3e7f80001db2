/** International bank account numbers: the length of their country, and check digits that come out (ISO 13616). */

import { startsLikeIban } from './sightings.ts';

/** By the two letters of the country, read as a number in base 32. */
const LENGTHS = new Uint8Array(1024);
for (const entry of `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
   FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
   LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27
   ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20`.split(/\s+/)) {
  LENGTHS[countryAt(entry, 0)] = Number(entry.slice(2));
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
