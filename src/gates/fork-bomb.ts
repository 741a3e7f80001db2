/** `:(){ :|:& };:` under whatever name: a function that pipes itself into itself in the background. Read outwards from its pipe. */
import { isWord } from './characters.ts';

const NAME_LENGTH_MAX = 16;
const SPACES_MAX = 8;

export function isForkBomb(text: string, pipe: number): boolean {
  const end = skipSpaces(text, pipe);
  const start = startOfName(text, end);
  // Most pipes are no more than that: before the name must stand the bracket that opens the function.
  const brace = skipSpaces(text, start) - 1;
  if (start === end || text.charCodeAt(brace) !== 123) return false;
  const closing = skipSpaces(text, brace) - 1;
  if (text.charCodeAt(closing) !== 41 || text.charCodeAt(closing - 1) !== 40) return false;
  const name = text.slice(start, end);
  const after = text.slice(pipe + 1, pipe + 48).trimStart();
  return (
    text.startsWith(name, skipSpaces(text, closing - 1) - name.length) &&
    after.startsWith(name) &&
    /^\s*&\s*\}/.test(after.slice(name.length))
  );
}

/** Back over a few spaces. */
function skipSpaces(text: string, end: number): number {
  let at = end;
  while (text.charCodeAt(at - 1) <= 32 && end - at < SPACES_MAX) at--;
  return at;
}

function startOfName(text: string, end: number): number {
  let at = end;
  while ((isWord(text.charCodeAt(at - 1)) || text.charCodeAt(at - 1) === 58) && end - at < NAME_LENGTH_MAX)
    at--;
  return at;
}
