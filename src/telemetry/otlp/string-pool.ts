const SLOTS = 8_192;
const POOLED_LENGTH_MAX = 64;

/**
 * Bytes as strings. Telemetry says the same few hundred words over and over (names of attributes, tools, sessions);
 * the pool answers a word it has seen with the string it made then, which is several times faster than decoding it
 * again. Newer words push older ones out, so its size is fixed.
 */
export class StringPool {
  readonly #strings: string[] = new Array<string>(SLOTS).fill('');

  get(bytes: Buffer, start: number, end: number): string {
    if (end - start > POOLED_LENGTH_MAX) return bytes.toString('utf8', start, end);
    let hash = 0;
    let high = 0;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      high |= byte;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (high > 0x7f) return bytes.toString('utf8', start, end);
    const slot = (hash ^ (hash >>> 13)) & (SLOTS - 1);
    const known = this.#strings[slot] as string;
    if (known.length === end - start && isSame(known, bytes, start)) return known;
    const made = bytes.toString('latin1', start, end);
    this.#strings[slot] = made;
    return made;
  }
}

function isSame(text: string, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}
