/**
 * Hidden files and folders that hold secrets, by the word behind the dot. A path to one is an offence, and so is a bare
 * name that a program reads, or that is all there is in a field. `process.env`, `.env.example` and public keys are not.
 */
import { codesOf, isSlash, isWord, QUOTES, SPACES } from './characters.ts';
import type { WordRule } from './word-rules.ts';

export const PLACE = 'A path to where credentials are kept.';

const FILES = new Set(['env', 'npmrc', 'netrc', 'pypirc', 'pgpass']);

/** Variants of `.env` that hold values. */
const ENVIRONMENT = /\.(?:local|production|prod|development|dev|staging|test)(?:\.local)?/y;

/** What may stand behind a name that is whole. */
const ENDS = codesOf(`${SPACES}${QUOTES},;:|&)]}<>?`);

export const hiddenPlace: WordRule = ({ text, word, start, end }) => {
  const dot = start - 1;
  if (text.charCodeAt(dot) !== 46) return undefined;
  const whole = endOfName(text, word, end);
  if (whole === -1) return undefined;
  const previous = text.charCodeAt(dot - 1);
  if (isSlash(previous)) return isIgnoreLine(text, dot - 1, whole) ? undefined : PLACE;
  if (isWord(previous)) return /%2f/i.test(text.slice(dot - 3, dot)) ? PLACE : undefined;
  if (FILES.has(word)) return isRead(text, dot) || isAlone(text, dot, whole) ? PLACE : undefined;
  // A folder is a place only with something in it.
  return isSlash(text.charCodeAt(end)) && isWord(text.charCodeAt(end + 1)) ? PLACE : undefined;
};

/** Where the name ends that begins with this word, or -1 when it goes on as another. */
function endOfName(text: string, word: string, end: number): number {
  let whole = end;
  const next = text.charCodeAt(end);
  if (word === 'docker') return /^[/\\]config\.json\b/.test(text.slice(end, end + 13)) ? end : -1;
  if (!FILES.has(word) && isSlash(next))
    return /^.\S{0,40}\.pub\b/.test(text.slice(end, end + 48)) ? -1 : end;
  ENVIRONMENT.lastIndex = end;
  if (word === 'env' && next === 46 && ENVIRONMENT.test(text)) whole = ENVIRONMENT.lastIndex;
  return whole >= text.length || ENDS[text.charCodeAt(whole)] === 1 ? whole : -1;
}

/** `/.env` as a line among others, as a list of what to ignore has it. */
function isIgnoreLine(text: string, slash: number, end: number): boolean {
  const next = text.charCodeAt(end);
  return (
    (slash === 0 || text.charCodeAt(slash - 1) === 10) &&
    (next === 10 || next === 13 || (slash > 0 && end === text.length))
  );
}

/** Programs that read or copy a file. Those of the second line have other arguments before it. */
const READERS = new Set(
  'cat less more head tail cp mv scp rsync source open type bat nano vi vim code base64 xxd strings read readfile readfilesync get-content gc'.split(
    ' ',
  ),
);
const LATE_READERS = new Set(['grep', 'tar', 'zip', 'curl']);

const GAPS = codesOf(` \t\f${QUOTES}(,@=[`);
const STOPS = codesOf(` \t\f${QUOTES}(,@=[\n\r;|&$`);

/** Whether a program that reads stands right before, with nothing but its flags, brackets and quotes between. */
function isRead(text: string, dot: number): boolean {
  let near = true;
  let end = dot;
  for (let words = 0; words < 3; words++) {
    while (GAPS[text.charCodeAt(end - 1)] === 1 && dot - end < 40) end--;
    let start = end;
    while (start > 0 && STOPS[text.charCodeAt(start - 1)] !== 1 && dot - start < 40) start--;
    const first = text.charCodeAt(start);
    // Behind another hidden file there is nothing to see that was not seen there; this keeps a list of them cheap.
    if (start === end || first === 46) return false;
    if (near && READERS.has(lastName(text.slice(start, end)))) return true;
    if (end - start < 5 && LATE_READERS.has(text.slice(start, end))) return true;
    near &&= first === 45;
    end = start;
  }
  return false;
}

/** Of `fs.readFile` what stands behind the dot. */
function lastName(token: string): string {
  return token.slice(token.lastIndexOf('.') + 1).toLowerCase();
}

/** Whether nothing else stands in the text, or in the field or element of a walked value. */
function isAlone(text: string, dot: number, end: number): boolean {
  let [from, to] = [dot, end];
  while (isBlank(text.charCodeAt(from - 1)) && dot - from < 64) from--;
  while (isBlank(text.charCodeAt(to)) && to - end < 64) to++;
  return isBoundary(text, from - 1) && isBoundary(text, to);
}

function isBoundary(text: string, at: number): boolean {
  return at < 0 || at >= text.length || text.charCodeAt(at) === 12;
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 12);
}
