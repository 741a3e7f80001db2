/**
 * Pieces of JSON as the bytes they came in. Reading and writing it again would change them: large numbers, spellings, fields
 * that are given twice. The JSON is known to be valid, and may be as deep as it likes.
 */
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** The elements of a list that is not empty. */
export function cutElements(list: Uint8Array): Uint8Array[] {
  return [...members(list)];
}

/** The value of a field of an object: the last one of that name, which is the one that counts. */
export function cutField(object: Uint8Array, name: string): Uint8Array | undefined {
  let value: Uint8Array | undefined;
  for (const member of members(object)) {
    const start = member.indexOf(QUOTE);
    if (start === -1) continue;
    const end = endOfText(member, start);
    const key: unknown = JSON.parse(new TextDecoder().decode(member.subarray(start, end)));
    if (key === name) value = member.subarray(member.indexOf(COLON, end) + 1);
  }
  return value;
}

/** What stands between the commas of the outermost list or object. */
function* members(bytes: Uint8Array): Generator<Uint8Array> {
  let depth = 0;
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfText(bytes, at) - 1;
    else if (OPENING.has(byte)) {
      depth++;
      if (depth === 1) from = at + 1;
    } else if (CLOSING.has(byte)) {
      depth--;
      if (depth === 0) yield bytes.subarray(from, at);
    } else if (byte === COMMA && depth === 1) {
      yield bytes.subarray(from, at);
      from = at + 1;
    }
  }
}

/** Where a text ends that begins here, behind its closing quote. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return bytes.length;
}
