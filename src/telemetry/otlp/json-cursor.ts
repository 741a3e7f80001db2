/**
 * Walks over the bytes of one JSON document and builds only what it is asked for. What is skipped is never decoded: not
 * a string, not an object. That is why it is faster than `JSON.parse`, and why a payload leaves no trace.
 *
 * It promises to read every valid document as `JSON.parse` would (a test compares the two on random documents). On a
 * document that breaks off or is not JSON it throws a `JsonFault`, at the latest at the end; faults inside a value that
 * is skipped may go unnoticed.
 */
import { StringPool } from './string-pool.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** From here on the native search for a quote is faster than looking at each byte. */
const SHORT_STRING = 48;

export type JsonScalar = string | number | boolean | null;

/** The bytes are not JSON, or end too early. */
export class JsonFault extends Error {}

export class JsonCursor {
  readonly #pool = new StringPool();
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;

  /** Starts over on another document. */
  reset(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Where the next value begins; `seek` comes back to it. */
  get position(): number {
    return this.#at;
  }

  seek(position: number): void {
    this.#at = position;
  }

  /** Steps into an object; false, and past the value, if it is none. */
  enterObject(): boolean {
    return this.#enter(OPEN_BRACE);
  }

  enterArray(): boolean {
    return this.#enter(OPEN_BRACKET);
  }

  /** The next key of the object, with its value to be read or skipped; undefined at its end. */
  nextKey(): string | undefined {
    const byte = this.#nextIn();
    if (byte === CLOSE_BRACE) {
      this.#at++;
      return undefined;
    }
    if (byte !== QUOTE) throw new JsonFault();
    const key = this.#readString();
    if (this.#peek() !== COLON) throw new JsonFault();
    this.#at++;
    return key;
  }

  /** Whether the array has another element, which is then to be read or skipped. */
  nextElement(): boolean {
    if (this.#nextIn() !== CLOSE_BRACKET) return true;
    this.#at++;
    return false;
  }

  /** A string, number, boolean or null; undefined, and past it, for an object or an array. */
  readScalar(): JsonScalar | undefined {
    const byte = this.#peek();
    if (byte === QUOTE) return this.#readString();
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.skipValue();
      return undefined;
    }
    const start = this.#at;
    this.#skipLiteral();
    return parseLiteral(this.#bytes.toString('latin1', start, this.#at));
  }

  skipValue(): void {
    const byte = this.#peek();
    if (byte === QUOTE) this.#skipString();
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#skipNested();
    else this.#skipLiteral();
  }

  /** Refuses anything but white space after the document. */
  finish(): void {
    while (this.#at < this.#end) if (!isSpace(this.#bytes[this.#at++])) throw new JsonFault();
  }

  #enter(opening: number): boolean {
    if (this.#peek() === opening) {
      this.#at++;
      return true;
    }
    this.skipValue();
    return false;
  }

  /** The byte where the next value begins. */
  #peek(): number {
    while (this.#at < this.#end) {
      const byte = this.#bytes[this.#at] as number;
      if (byte > 0x20) return byte;
      if (!isSpace(byte)) throw new JsonFault();
      this.#at++;
    }
    throw new JsonFault();
  }

  #nextIn(): number {
    const byte = this.#peek();
    if (byte !== COMMA) return byte;
    this.#at++;
    return this.#peek();
  }

  #readString(): string {
    const start = this.#at;
    const plain = this.#skipString();
    if (plain) return this.#pool.get(this.#bytes, start + 1, this.#at - 1);
    try {
      return JSON.parse(this.#bytes.toString('utf8', start, this.#at));
    } catch {
      throw new JsonFault();
    }
  }

  /** Moves past a string; true if it has no escapes. */
  #skipString(): boolean {
    const bytes = this.#bytes;
    const from = this.#at + 1;
    const near = Math.min(this.#end, from + SHORT_STRING);
    for (let i = from; i < near; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) {
        this.#at = i + 1;
        return true;
      }
      if (byte === BACKSLASH) return this.#skipEscaped(i);
    }
    return this.#skipLong(near);
  }

  #skipLong(from: number): boolean {
    const quote = this.#findQuote(from);
    const escaped = this.#bytes.subarray(from, quote).indexOf(BACKSLASH);
    if (escaped !== -1) return this.#skipEscaped(from + escaped);
    this.#at = quote + 1;
    return true;
  }

  /** From the first backslash on: a quote ends the string when an even number of backslashes stands before it. */
  #skipEscaped(from: number): false {
    let quote = this.#findQuote(from);
    for (;;) {
      let before = quote - 1;
      while (before >= from && this.#bytes[before] === BACKSLASH) before--;
      if ((quote - 1 - before) % 2 === 0) break;
      quote = this.#findQuote(quote + 1);
    }
    this.#at = quote + 1;
    return false;
  }

  #findQuote(from: number): number {
    const quote = this.#bytes.indexOf(QUOTE, from);
    if (quote === -1 || quote >= this.#end) throw new JsonFault();
    return quote;
  }

  #skipNested(): void {
    let depth = 0;
    while (this.#at < this.#end) {
      const byte = this.#bytes[this.#at] as number;
      if (byte === QUOTE) {
        this.#skipString();
        continue;
      }
      this.#at++;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return;
    }
    throw new JsonFault();
  }

  #skipLiteral(): void {
    const start = this.#at;
    while (this.#at < this.#end && isLiteral(this.#bytes[this.#at] as number)) this.#at++;
    if (this.#at === start) throw new JsonFault();
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Letters, digits, sign and point: what numbers, `true`, `false` and `null` are made of. */
function isLiteral(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  );
}

function parseLiteral(text: string): number | boolean | null {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonFault();
  }
}
