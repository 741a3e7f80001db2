/**
 * Walks over one JSON document and builds only what it is asked for. What is skipped is never decoded: not a string, not
 * an object. That is why it is faster than `JSON.parse`, and why a payload leaves no trace.
 *
 * It promises to read every valid document as `JSON.parse` would (a test compares the two on random documents). On a
 * document that breaks off or is not JSON it throws a `JsonFault`, at the latest at the end; faults inside a value that
 * is skipped may go unnoticed.
 *
 * The bytes become a string of one character per byte, which costs almost nothing and lets V8's own search find the ends
 * of strings: looking at every byte from JavaScript took three times as long. Letters beyond ASCII are put together
 * again in the strings that are asked for. Those strings are views of the whole document, so who keeps one must copy it.
 */
import { isAscii } from 'node:buffer';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const ZERO = 0x30;
/** Every number of so many digits is exact. */
const SAFE_DIGITS = 15;

export type JsonScalar = string | number | boolean | null;

/** The bytes are not JSON, or end too early. */
export class JsonFault extends Error {}

export class JsonCursor {
  #text = '';
  #isAscii = true;
  #at = 0;
  /** Where the next backslash is, as far as that is known: a string that ends before it has no escapes. */
  #backslash = -1;

  /** Starts over on another document. */
  reset(bytes: Buffer, start: number, end: number): void {
    this.#text = bytes.toString('latin1', start, end);
    this.#isAscii = isAscii(bytes.subarray(start, end));
    this.#at = 0;
    this.#backslash = -1;
  }

  /** Where the next value begins; `seek` comes back to it. */
  get position(): number {
    return this.#at;
  }

  seek(position: number): void {
    this.#at = position;
    this.#backslash = -1;
  }

  /** Steps into an object; false, and past the value, if it is none. */
  enterObject(): boolean {
    return this.#enter(OPEN_BRACE);
  }

  enterArray(): boolean {
    return this.#enter(OPEN_BRACKET);
  }

  /**
   * Moves past these very characters if they come next; for what a writer is known to write without white space. `telling`
   * is where they differ from others that may come as well.
   */
  take(expected: string, telling: number): boolean {
    const after = this.#at + expected.length;
    if (this.#text.charCodeAt(this.#at + telling) !== expected.charCodeAt(telling)) return false;
    if (this.#text.slice(this.#at, after) !== expected) return false;
    this.#at = after;
    return true;
  }

  /** Moves past so many closing braces if they come next, and nothing between them. */
  takeBraces(count: number): boolean {
    for (let i = 0; i < count; i++) if (this.#text.charCodeAt(this.#at + i) !== CLOSE_BRACE) return false;
    this.#at += count;
    return true;
  }

  /** The next key of the object, with its value to be read or skipped; undefined at its end. */
  nextKey(): string | undefined {
    const code = this.#nextIn();
    if (code === CLOSE_BRACE) {
      this.#at++;
      return undefined;
    }
    if (code !== QUOTE) throw new JsonFault();
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
    const code = this.#peek();
    if (code === QUOTE) return this.#readString();
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      this.skipValue();
      return undefined;
    }
    const start = this.#at;
    this.#skipLiteral();
    return this.#wholeNumber(start) ?? (parseJson(this.#text.slice(start, this.#at)) as JsonScalar);
  }

  /** What stands between there and here, if it is a whole number without a sign, as most are. */
  #wholeNumber(start: number): number | undefined {
    const length = this.#at - start;
    if (length > SAFE_DIGITS || (length > 1 && this.#text.charCodeAt(start) === ZERO)) return undefined;
    let value = 0;
    for (let i = start; i < this.#at; i++) {
      const digit = this.#text.charCodeAt(i) - ZERO;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    return value;
  }

  skipValue(): void {
    const code = this.#peek();
    if (code === QUOTE) this.#skipString();
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#skipNested();
    else this.#skipLiteral();
  }

  /** Refuses anything but white space after the document. */
  finish(): void {
    while (this.#at < this.#text.length)
      if (!isSpace(this.#text.charCodeAt(this.#at++))) throw new JsonFault();
  }

  #enter(opening: number): boolean {
    if (this.#peek() === opening) {
      this.#at++;
      return true;
    }
    this.skipValue();
    return false;
  }

  /** The character with which the next value begins. */
  #peek(): number {
    for (;;) {
      // NaN at the end of the text, which is no space and no larger than one.
      const code = this.#text.charCodeAt(this.#at);
      if (code > 0x20) return code;
      if (!isSpace(code)) throw new JsonFault();
      this.#at++;
    }
  }

  #nextIn(): number {
    const code = this.#peek();
    if (code !== COMMA) return code;
    this.#at++;
    return this.#peek();
  }

  #readString(): string {
    const start = this.#at;
    const isPlain = this.#skipString();
    const decoded = isPlain
      ? this.#text.slice(start + 1, this.#at - 1)
      : parseJson(this.#text.slice(start, this.#at));
    return this.#isAscii ? (decoded as string) : this.#fromBytes(start, isPlain);
  }

  /** A string whose characters are bytes of UTF-8, put together. */
  #fromBytes(start: number, isPlain: boolean): string {
    const text = Buffer.from(this.#text.slice(start, this.#at), 'latin1').toString('utf8');
    return isPlain ? text.slice(1, -1) : (parseJson(text) as string);
  }

  /** Moves past a string; true if it has no escapes. */
  #skipString(): boolean {
    const from = this.#at + 1;
    const quote = this.#findQuote(from);
    if (this.#backslash < from) this.#backslash = this.#findBackslash(from);
    if (this.#backslash > quote) {
      this.#at = quote + 1;
      return true;
    }
    this.#skipEscaped(this.#backslash, quote);
    return false;
  }

  /** A quote ends the string when an even number of backslashes stands before it. */
  #skipEscaped(first: number, candidate: number): void {
    let quote = candidate;
    for (;;) {
      let before = quote - 1;
      while (before >= first && this.#text.charCodeAt(before) === BACKSLASH) before--;
      if ((quote - 1 - before) % 2 === 0) break;
      quote = this.#findQuote(quote + 1);
    }
    this.#at = quote + 1;
  }

  #findQuote(from: number): number {
    const quote = this.#text.indexOf('"', from);
    if (quote === -1) throw new JsonFault();
    return quote;
  }

  #findBackslash(from: number): number {
    const at = this.#text.indexOf('\\', from);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  }

  #skipNested(): void {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) {
        this.#skipString();
        continue;
      }
      this.#at++;
      if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
      else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return;
    }
    throw new JsonFault();
  }

  #skipLiteral(): void {
    const start = this.#at;
    while (isLiteral(this.#text.charCodeAt(this.#at))) this.#at++;
    if (this.#at === start) throw new JsonFault();
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Letters, digits, sign and point: what numbers, `true`, `false` and `null` are made of. */
function isLiteral(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x2e ||
    code === 0x45
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonFault();
  }
}
