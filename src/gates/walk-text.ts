/**
 * All text inside an arbitrary value, field names included, as one string. Bounded in length, depth and number of
 * fields, and it says when that left something out; a cycle is entered once, and a getter or proxy that throws counts as
 * absent.
 *
 * Pieces are kept apart by form feeds, which no pattern of the gates reads as part of a word, and which those
 * for shell commands read as a space: `{ command: 'rm', args: ['-rf', '/'] }` is a command line too.
 */
import { CLIENT_LIMITS } from '../core/client-limits.ts';

const SEPARATOR = '\f';

export interface WalkedText {
  text: string;
  /** Whether there is more, which nobody has read. */
  isCut: boolean;
}

/** How far a walk goes. */
export interface WalkBounds {
  /** Characters of text. */
  length: number;
  /** Fields and elements. */
  nodes: number;
}

const BOUNDS: WalkBounds = { length: CLIENT_LIMITS.gateTextLengthMax, nodes: CLIENT_LIMITS.gateNodesMax };

export function walkText(value: unknown, bounds = BOUNDS): WalkedText {
  if (typeof value === 'string') return cutTo(bounds.length, value);
  const walk = new Walk(bounds);
  walk.visit(value, 0);
  const { text, isCut } = cutTo(bounds.length, walk.pieces.join(SEPARATOR));
  return { text, isCut: isCut || walk.isCut };
}

class Walk {
  readonly pieces: string[] = [];
  isCut = false;
  readonly #bounds: WalkBounds;
  readonly #seen = new Set<object>();
  #length = 0;
  #nodes = 0;

  constructor(bounds: WalkBounds) {
    this.#bounds = bounds;
  }

  get #full(): boolean {
    return this.#length >= this.#bounds.length || this.#nodes >= this.#bounds.nodes;
  }

  visit(value: unknown, depth: number): void {
    this.#nodes++;
    if (typeof value === 'string') this.#push(value);
    else if (typeof value === 'number' || typeof value === 'bigint') this.#push(toDigits(value));
    else if (typeof value === 'object' && value !== null && !this.#seen.has(value)) {
      if (depth >= CLIENT_LIMITS.gateDepthMax) {
        this.isCut = true;
        return;
      }
      this.#seen.add(value);
      this.#enter(value, depth + 1);
    }
  }

  #enter(value: object, depth: number): void {
    for (const [key, read] of fieldsOf(value, this.#bounds.length)) {
      if (this.#full) {
        this.isCut = true;
        return;
      }
      if (key !== undefined) this.#push(key);
      this.visit(attempt(read), depth);
    }
  }

  #push(text: string): void {
    if (text === '') return;
    const piece = cutTo(this.#bounds.length, text);
    this.pieces.push(piece.text);
    this.isCut ||= piece.isCut;
    this.#length += text.length + 1;
  }
}

/** What a value holds, each with a function that reads it: elements have no name, fields and entries of a map do. */
function* fieldsOf(value: object, lengthMax: number): Generator<[string | undefined, () => unknown]> {
  const text = attempt(() => textOf(value, lengthMax));
  if (text !== undefined) {
    yield [undefined, () => text];
    return;
  }
  if (attempt(() => Array.isArray(value))) {
    const list = value as unknown[];
    const length = attempt(() => list.length) ?? 0;
    for (let i = 0; i < length; i++) yield [undefined, () => list[i]];
    return;
  }
  const entries = attempt(() => entriesOf(value));
  if (entries) {
    for (const entry of entries) yield [undefined, () => entry];
    return;
  }
  if (attempt(() => value instanceof Error)) yield [undefined, () => (value as Error).message];
  for (const key of attempt(() => Object.keys(value)) ?? []) {
    yield [key, () => (value as Record<string, unknown>)[key]];
  }
}

/** What is a text in all but name: bytes as UTF-8, and the object around a string. Numbers in arrays of other types are none. */
function textOf(value: object, lengthMax: number): string | undefined {
  // A character has at most four bytes; one more than fit tells that there are more.
  if (value instanceof Uint8Array) return new TextDecoder().decode(value.subarray(0, 4 * (lengthMax + 1)));
  if (value instanceof String) return String.prototype.toString.call(value);
  return ArrayBuffer.isView(value) ? '' : undefined;
}

/** The entries of a map or a set by the language's own methods: those of the value may be anything. */
function entriesOf(value: object): Iterable<unknown> | undefined {
  if (value instanceof Map) return Map.prototype.entries.call(value);
  return value instanceof Set ? Set.prototype.values.call(value) : undefined;
}

/** A big number may be a card or a telephone number; small ones are nothing, and there are many. */
function toDigits(value: number | bigint): string {
  return typeof value === 'bigint' || value >= 1e6 || value <= -1e6 ? value.toString() : '';
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function cutTo(max: number, text: string): WalkedText {
  return text.length > max ? { text: text.slice(0, max), isCut: true } : { text, isCut: false };
}
