/**
 * All attributes of a record as one short text, also those that nobody reads: what tells two points of a metric, or two
 * events without an id, apart that are otherwise alike. The same in whatever order they stand, and from either encoding;
 * a decoder spells each value with the functions here. It is made only when somebody asks, because few records need it.
 */
import { Fingerprint } from '../fingerprint.ts';

/** Lists within lists, before what is inside counts for nothing: a sender could nest them until the stack is full. */
export const SPELT_DEPTH_MAX = 8;

export class AttributeDigest {
  readonly #start = new Fingerprint();
  readonly #one = new Fingerprint();
  #low = 0;
  #high = 0;

  clear(): void {
    this.#low = 0;
    this.#high = 0;
  }

  /** Adding up does not mind the order. */
  add(name: string, spelt: string): void {
    const { value } = this.#one.from(this.#start).add(name).add(spelt);
    this.#low = (this.#low + value) >>> 0;
    this.#high = (this.#high + Math.floor(value / 4_294_967_296)) >>> 0;
  }

  get text(): string {
    return `${this.#low.toString(36)}.${this.#high.toString(36)}`;
  }
}

/** A text, number or truth value. A whole number is spelt the same whether it came as an integer or as a double. */
export function spellScalar(value: unknown): string {
  return typeof value === 'string' ? `"${value}` : String(value);
}

export function spellBytes(bytes: Buffer): string {
  return `x${bytes.toString('hex')}`;
}

export function spellList(spelt: readonly string[]): string {
  return `[${spelt.join()}]`;
}
