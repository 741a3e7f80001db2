const STEP = 0x6d2b79f5;
const RANGE = 4_294_967_296;

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
    this.#state = (this.#state + STEP) | 0;
    return scramble(this.#state) / RANGE;
  }

  /** Counts draws: as many as there are counters, each of which is as likely as the others to be added to. */
  drawInto(counts: Int32Array): void {
    const size = counts.length;
    const scale = size / RANGE;
    let state = this.#state;
    counts.fill(0);
    for (let i = 0; i < size; i++) {
      state = (state + STEP) | 0;
      (counts[(scramble(state) * scale) | 0] as number)++;
    }
    this.#state = state;
  }
}

function scramble(state: number): number {
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (t ^ (t >>> 14)) >>> 0;
}
