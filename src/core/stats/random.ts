/** A source of numbers in [0, 1). */
export type Random = () => number;

/**
 * A small seeded generator (Mulberry32, Tommy Ettinger 2017), so that every resampling can be repeated to the digit.
 * Not for secrets: the state is 32 bits.
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
