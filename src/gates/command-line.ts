/** Command lines the way a shell or a list of arguments gives them, read in place: a hostile text has one every few characters. */
import { codesOf, QUOTES, SPACES } from './characters.ts';
import type { Place } from './word-rules.ts';

/** How far a command line is read, and how much of that the next look may see again. */
const REACH = 512;
const OVERLAP = 64;

const NEWLINE = 10;
const DOLLAR = 36;
const BACKSLASH = 92;

/** Where the command that begins here ends for the shell; nothing until there need be looked at again. */
export function endOfCommand(place: Place, ends: 'command' | 'line'): number {
  const { text, start } = place;
  const limit = Math.min(text.length, start + REACH);
  let end = start;
  while (end < limit && !endsCommand(text, end, ends)) end++;
  place.cover(end === start + REACH ? end - OVERLAP : end);
  return end;
}

export function commandLine(place: Place, ends: 'command' | 'line'): string {
  return place.text.slice(place.start, endOfCommand(place, ends));
}

/** Whether the shell ends a command, or a person a line, here. */
export function endsCommand(text: string, at: number, ends: 'command' | 'line'): boolean {
  const code = text.charCodeAt(at);
  if (code === NEWLINE) return text.charCodeAt(at - 1) !== BACKSLASH;
  // ; | &
  return ends === 'command' && (code === 59 || code === 124 || code === 38);
}

const SEPARATORS = codesOf(`${SPACES}${QUOTES},[](){}\\`);

/** The words of a command, one after another, with quotes, brackets, commas and `$IFS` read as the spaces that they amount to. */
export class Arguments {
  readonly #text: string;
  readonly #limit: number;
  start: number;
  end: number;

  constructor(text: string, at: number, limit: number) {
    this.#text = text;
    this.#limit = limit;
    this.start = at;
    this.end = at;
  }

  /** Goes to the next word; false when there is none. */
  next(): boolean {
    let at = this.end;
    for (let size = 1; size > 0 && at < this.#limit; at += size) size = this.#separator(at);
    this.start = at;
    while (at < this.#limit && this.#separator(at) === 0) at++;
    this.end = at;
    return at > this.start;
  }

  get word(): string {
    return this.#text.slice(this.start, this.end);
  }

  /** How many characters here separate words. */
  #separator(at: number): number {
    const text = this.#text;
    const code = text.charCodeAt(at);
    if (code > 127) return /\s/.test(text.charAt(at)) ? 1 : 0;
    if (code !== DOLLAR) return SEPARATORS[code] as number;
    return text.startsWith('IFS', at + 1) ? 4 : text.startsWith('{IFS}', at + 1) ? 6 : 0;
  }
}

/** A word that is part of another: `--rm`, `.rm`, `$rm`, `rm-rf`, `rm.txt`. */
export function isPartOfName({ text, start, end }: Place): boolean {
  const previous = text.charCodeAt(start - 1);
  if (previous === 45 || previous === 46 || previous === DOLLAR) return true;
  const next = text.charCodeAt(end);
  // A dash, or a dot, a colon, an equals sign or an opening bracket right behind: a name in a text or a program.
  return next === 45 || next === 46 || next === 58 || next === 61 || next === 40;
}
