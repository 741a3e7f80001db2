/**
 * Runs of digits and what stands between them, for finders of numbers that people write in groups: `4111 1111 1111 1111`,
 * `(212) 555-1234`. Everything here looks a fixed number of characters around, so a finder that looks at a fixed number
 * of groups costs a fixed time wherever it starts.
 */
import type { Sightings } from './sightings.ts';

export class DigitGroups {
  readonly text: string;
  readonly #numbers: readonly number[];

  constructor({ text, numbers }: Sightings) {
    this.text = text;
    this.#numbers = numbers;
  }

  get count(): number {
    return this.#numbers.length >> 1;
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

  /** What separates a group from the next: one or two characters, or undefined where there is more, or no next group. */
  gap(group: number): string | undefined {
    if (group < 0 || group + 1 >= this.count) return undefined;
    const from = this.end(group);
    const to = this.start(group + 1);
    return to - from <= 2 ? this.text.slice(from, to) : undefined;
  }

  /** The digits of several groups in a row. */
  digits(group: number, count: number): string {
    let digits = '';
    for (let i = group; i < group + count; i++) digits += this.text.slice(this.start(i), this.end(i));
    return digits;
  }

  /** Whether these groups are a number of their own: no letter, digit, dot, dash or slash joins them to something else. */
  standsAlone(group: number, count: number, opening = this.start(group)): boolean {
    const previous = this.text.charAt(opening - 1);
    if (/[\w.\-/#+$€£%]/.test(previous)) return false;
    const next = this.text.slice(this.end(group + count - 1), this.end(group + count - 1) + 2);
    return !/^(?:[\w%°]|[-./:,][\w])/.test(next);
  }
}
