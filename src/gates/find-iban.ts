/** International bank account numbers: the length of their country, and check digits that come out (ISO 13616). */

const LENGTHS: Record<string, number> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
   FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
   LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27
   ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Where the IBAN that starts here ends, written in one piece or in groups of four; undefined when there is none. */
export function findIban(text: string, start: number): number | undefined {
  const length = LENGTHS[text.slice(start, start + 2)];
  if (length === undefined) return undefined;
  let compact = '';
  let at = start;
  while (compact.length < length && at < text.length) {
    const code = text.charCodeAt(at);
    if (isCapitalOrDigit(code)) compact += text.charAt(at);
    else if (code !== 32 || compact.length % 4 !== 0) return undefined;
    at++;
  }
  if (compact.length < length || isCapitalOrDigit(text.charCodeAt(at))) return undefined;
  return hasMod97(compact) ? at : undefined;
}

function isCapitalOrDigit(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** ISO 7064, MOD 97-10: the first four characters go last, letters count from ten. */
function hasMod97(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
