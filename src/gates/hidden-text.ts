/**
 * Characters that a person does not see and a model reads: tags, bidirectional overrides, zero-width characters inside
 * words. Emoji, flags, right-to-left scripts and scripts that need joiners use some of them honestly.
 */
import { isDigit, isLetter } from './characters.ts';
import type { Offence } from './offence.ts';
import type { Sightings } from './sightings.ts';

const HIDDEN = 'Hidden Unicode characters.';
const TAG = 0xdb40;
const BLACK_FLAG = '\u{1f3f4}';
const CANCEL_TAG = 0xdc7f;

export function findHiddenText({ text, invisibles }: Sightings): Offence | undefined {
  let rightToLeft: boolean | undefined;
  for (let i = 0; i < invisibles.length; i++) {
    const at = invisibles[i] as number;
    const code = text.charCodeAt(at);
    if (code === TAG) {
      if (isVariant(text, at)) continue;
      const end = endOfFlag(text, at);
      if (end === undefined) return { reason: HIDDEN, at };
      while (i + 1 < invisibles.length && (invisibles[i + 1] as number) < end) i++;
    } else if (isOverride(code)) {
      return { reason: HIDDEN, at };
    } else if (isDirectional(code)) {
      rightToLeft ??= /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text);
      if (!rightToLeft) return { reason: HIDDEN, at };
    } else if (isInsideWord(text, at) || isRun(text, at)) {
      return { reason: HIDDEN, at };
    }
  }
  return undefined;
}

/** Tags are honest in the flags of England, Scotland and Wales: a black flag, up to six tags, and the cancel tag. */
function endOfFlag(text: string, at: number): number | undefined {
  if (text.slice(at - 2, at) !== BLACK_FLAG) return undefined;
  for (let i = at; i < at + 14 && text.charCodeAt(i) === TAG; i += 2) {
    if (text.charCodeAt(i + 1) === CANCEL_TAG) return i + 2;
  }
  return undefined;
}

/** U+E0100–U+E01EF behind an ideograph, and only one: the form of it that a Japanese name has. */
function isVariant(text: string, at: number): boolean {
  const low = text.charCodeAt(at + 1);
  return (
    low >= 0xdd00 && low <= 0xddef && text.charCodeAt(at - 1) >= 0x3400 && text.charCodeAt(at - 2) !== TAG
  );
}

/** LRO and RLO turn text around whatever it is. */
function isOverride(code: number): boolean {
  return code === 0x202d || code === 0x202e;
}

/** Marks, embeddings and isolates have their place beside a script that runs from right to left. */
function isDirectional(code: number): boolean {
  return (
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202c) ||
    (code >= 0x2066 && code <= 0x2069)
  );
}

/** Between two ASCII letters or digits no script needs anything. */
function isInsideWord(text: string, at: number): boolean {
  return isAsciiWord(text.charCodeAt(at - 1)) && isAsciiWord(text.charCodeAt(at + 1));
}

/** Four in a row carry bits, not typography. */
function isRun(text: string, at: number): boolean {
  for (let i = at; i < at + 4; i++) {
    const code = text.charCodeAt(i);
    if (!((code >= 0x200b && code <= 0x200d) || (code >= 0x2060 && code <= 0x2064) || code === 0xfeff))
      return false;
  }
  return true;
}

function isAsciiWord(code: number): boolean {
  return isLetter(code) || isDigit(code);
}
