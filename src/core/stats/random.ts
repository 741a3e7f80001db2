/** A source of numbers in [0, 1). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  const source = new SeededRandom(seed);
  return () => source.next();
}

/**
 * A small seeded generator (Mulberry32, Tommy Ettinger 2017), so that every resampling can be repeated to the digit.
 * Not for secrets: the state is 32 bits.
 */
export class SeededRandom {
  // Signed, and in a field: V8 then keeps it without a box, and a number takes half the time.
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1). */
  next(): number {
    const state = (this.#state + 0x6d2b79f5) | 0;
    this.#state = state;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
}
