/**
 * A 53-bit hash of names, as a number (two rounds of multiply and xor side by side, after cyrb53). At ten million events
 * the chance that any two share one is about one in two hundred; a 64-bit hash would need a BigInt for each event.
 */
export class Fingerprint {
  #low = 0xdeadbeef | 0;
  #high = 0x41c6ce57;

  /** Goes on from where another stands. */
  from(other: Fingerprint): this {
    this.#low = other.#low;
    this.#high = other.#high;
    return this;
  }

  add(text: string): this {
    let low = this.#low;
    let high = this.#high;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, 2_654_435_761);
      high = Math.imul(high ^ unit, 1_597_334_677);
    }
    // A length behind each text keeps `ab` + `c` apart from `a` + `bc`.
    this.#low = Math.imul(low ^ text.length, 2_246_822_507);
    this.#high = Math.imul(high ^ text.length, 3_266_489_909);
    return this;
  }

  /** Never 0, which stands for no fingerprint. */
  get value(): number {
    const low = this.#low;
    const high = this.#high;
    const a = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
    const b = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
    return 4_294_967_296 * (2_097_151 & b) + (a >>> 0) || 1;
  }
}
