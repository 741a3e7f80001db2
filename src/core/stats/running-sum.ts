/**
 * A sum that numbers can leave as well as enter, without drift. A plain running total keeps the rounding error of
 * every number that ever passed: one latency of a day among microseconds would spoil the average long after it has
 * left the window. This one is kept in two doubles, the second holding what the first lost (Knuth's two-sum, as in
 * Dekker's double-double), which is about 106 bits: what an order of
 * adding, or a number that came and went, can change is some 30 digits below the largest that passed.
 */
export class RunningSum {
  #high = 0;
  #low = 0;

  add(x: number): void {
    const sum = this.#high + x;
    const shift = sum - this.#high;
    this.#low += this.#high - (sum - shift) + (x - shift);
    // Renormalise, so that the high part is always the rounded value of the whole.
    this.#high = sum + this.#low;
    this.#low -= this.#high - sum;
  }

  subtract(x: number): void {
    this.add(-x);
  }

  get value(): number {
    return this.#high;
  }
}
