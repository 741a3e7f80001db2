/**
 * Gives out places in the order of arrival. The time never goes backwards, whatever the clock does, and a counter tells
 * apart what arrived at the same time.
 */
export class Arrival {
  readonly #clock: () => number;
  #at: number;
  // Others of that time may be in the ledger already; what comes next stands behind all of them.
  #place = 2 ** 31;
  #restored = 0;

  /** `last` is the time of the newest in the ledger. */
  constructor(clock: () => number, last: number) {
    this.#clock = clock;
    this.#at = last;
  }

  /** The time of the newest that this node knows of. */
  get newest(): number {
    return this.#at;
  }

  /** The next place; for what is restored, one at the time that it brings along, in the order of restoring. */
  next(given?: number): { at: number; place: number } {
    if (given !== undefined) return { at: Math.trunc(given), place: this.#restored++ };
    const now = Math.trunc(this.#clock());
    if (now > this.#at) {
      this.#at = now;
      this.#place = 0;
    } else {
      this.#place++;
    }
    return { at: this.#at, place: this.#place };
  }
}
