/**
 * Times of arrival, each later than the one before: what has arrived since something was looked at can then be told by its
 * time alone. Within a millisecond they differ by a thousandth, which a double still tells apart.
 */
export class ArrivalTimes {
  readonly #clock: () => number;
  #last: number;

  /** `last` is the latest in the ledger, 0 for none; one that lies in the future came with a restored row, and holds nothing up. */
  constructor(clock: () => number, last: number) {
    this.#clock = clock;
    this.#last = last === 0 ? 0 : Math.min(last, clock());
  }

  next(): number {
    this.#last = Math.max(this.#clock(), this.#last + 0.001);
    return this.#last;
  }
}
