/**
 * Absolute paths with more `..` than folders to leave: `/srv/data/../../../etc`. A path is read once, from its first
 * name to its last, however many `..` it has.
 */
import { codesOf, isSlash, QUOTES, SPACES } from './characters.ts';
import type { Offence } from './offence.ts';
import type { Sightings } from './sightings.ts';

const DOT = 46;
const SLASH = 47;
const EQUALS = 61;

/** What a path may begin behind, and what no path has in it unquoted. */
const OPENING = `${SPACES}${QUOTES}<:(,`;
const OPENS = codesOf(OPENING);
const STOPS = codesOf(`${OPENING}>|;)`);

export function findClimb({ text, dots }: Sightings): Offence | undefined {
  let read = 0;
  for (const at of dots) {
    if (at < read) continue;
    read = at;
    while (read < text.length && !STOPS[text.charCodeAt(read)]) read++;
    if (climbs(text, startOfPath(text, at), read))
      return { reason: 'A path that climbs above the root of the file system.', at };
  }
  return undefined;
}

/** The slash that begins the path around this place; the place itself when the path is not absolute. */
function startOfPath(text: string, at: number): number {
  let first = at;
  while (first > 0 && !STOPS[text.charCodeAt(first - 1)]) first--;
  let opened = first === 0 || OPENS[text.charCodeAt(first - 1)] === 1;
  for (let start = first; start < at; start++) {
    const code = text.charCodeAt(start);
    // Behind two slashes stands a host.
    if (opened && code === SLASH) return text.charCodeAt(start + 1) === SLASH ? at : start;
    opened = code === EQUALS;
  }
  return at;
}

function climbs(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start) !== SLASH) return false;
  let depth = 0;
  let name = start + 1;
  for (let at = name; at <= end; at++) {
    const code = at < end ? text.charCodeAt(at) : SLASH;
    if (!isSlash(code)) continue;
    const size = at - name;
    const dotted = text.charCodeAt(name) === DOT && (size === 1 || text.charCodeAt(name + 1) === DOT);
    if (size > 2 || (size > 0 && !dotted)) depth++;
    else if (size === 2 && --depth < 0) return true;
    name = at + 1;
  }
  return false;
}
