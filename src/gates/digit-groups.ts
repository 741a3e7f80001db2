/**
 * Runs of digits and what stands between them, for finders of numbers that people write in groups: `4111 1111 1111 1111`,
 * `(212) 555-1234`. Everything here looks a fixed number of characters around, so a finder that looks at a fixed number
 * of groups costs a fixed time wherever it starts.
 */
import { codesOf, isDigit, isWord } from './characters.ts';
import type { Sightings } from './sightings.ts';

export const SPACE = 32;
export const DASH = 45;
export const DOT = 46;
export const SLASH = 47;
const PERCENT = 37;
const PLUS = 43;
const COMMA = 44;
const COLON = 58;
const DEGREE = 0xb0;
const OPENING = 40;
const CLOSING = 41;

/** What joins a number to what stands before it, with the letters and digits. */
const JOINS = codesOf('.-/#+$%');

/** The smallest number that means something without separators: a payment card. */
const LONE_SIZE_MIN = 14;

export class DigitGroups {
  readonly text: string;
  readonly count: number;
  readonly #numbers: readonly number[];

  constructor({ text, numbers }: Sightings) {
    this.text = text;
    this.count = numbers.length >> 1;
    this.#numbers = numbers;
  }

  start(group: number): number {
    return this.#numbers[2 * group] as number;
  }

  end(group: number): number {
    return this.#numbers[2 * group + 1] as number;
  }

  /** How many digits the group has; 0 beyond the last. */
  size(group: number): number {
    return group < this.count ? this.end(group) - this.start(group) : 0;
  }

  /** A number that no finder can begin with: short, without a plus sign, and nothing near behind it. */
  isPlain(group: number): boolean {
    if (this.size(group) >= LONE_SIZE_MIN || this.hasPlus(group)) return false;
    return group + 1 >= this.count || this.start(group + 1) - this.end(group) > 2;
  }

  hasPlus(group: number): boolean {
    return this.text.charCodeAt(this.start(group) - 1) === PLUS;
  }

  isBracketed(group: number): boolean {
    return (
      this.text.charCodeAt(this.start(group) - 1) === OPENING &&
      this.text.charCodeAt(this.end(group)) === CLOSING
    );
  }

  /**
   * The one character between a group and the next, as its code; the second of two when the first is a bracket; or 0.
   * Spaces that do not break are spaces.
   */
  gap(group: number): number {
    if (group < 0 || group + 1 >= this.count) return 0;
    const end = this.end(group);
    const length = this.start(group + 1) - end;
    if (length > 2) return 0;
    let code = this.text.charCodeAt(end);
    if (length === 2) {
      const second = this.text.charCodeAt(end + 1);
      code = second === OPENING ? code : code === CLOSING ? second : 0;
    }
    return code === 0xa0 || code === 0x202f ? SPACE : code;
  }

  /** The digits of several groups in a row. */
  digits(group: number, count: number): string {
    let digits = '';
    for (let i = group; i < group + count; i++) digits += this.text.slice(this.start(i), this.end(i));
    return digits;
  }

  /** Whether these groups are a number of their own: no letter, digit, dot, dash or slash joins them to something else. */
  standsAlone(group: number, count: number, opening = this.start(group)): boolean {
    const before = this.text.charCodeAt(opening - 1);
    if (isWord(before) || JOINS[before] === 1 || before === 0xa3 || before === 0x20ac) return false;
    const last = group + count - 1;
    const after = this.text.charCodeAt(this.end(last));
    const next = this.text.charCodeAt(this.end(last) + 1);
    // A comma parts the columns of a table; behind a group of three it may as well begin decimals.
    if (after === COMMA) return this.size(last) !== 3 || !isDigit(next);
    // Behind the slash of a card stands when it expires.
    if (after === SLASH) return !isWord(next) || isDigit(next);
    if (after === DASH || after === DOT || after === COLON) return !isWord(next);
    return !isWord(after) && after !== PERCENT && after !== DEGREE;
  }
}
