/**
 * 53-bit hashes of names, as numbers (two rounds of multiply and xor side by side, after cyrb53). At ten million events
 * the chance that any two share one is about one in two hundred; a 64-bit hash would need a BigInt for each event.
 */
export interface Fingerprint {
  low: number;
  high: number;
}

export const EMPTY: Fingerprint = { low: 0xdeadbeef | 0, high: 0x41c6ce57 };

/** The hash of what was hashed before and then this text. */
export function extend({ low, high }: Fingerprint, text: string): Fingerprint {
  let a = low;
  let b = high;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  // A length between two texts keeps `ab` + `c` apart from `a` + `bc`.
  return { low: Math.imul(a ^ text.length, 2_246_822_507), high: Math.imul(b ^ text.length, 3_266_489_909) };
}

/** As one number; never 0, which stands for no fingerprint. */
export function toNumber({ low, high }: Fingerprint): number {
  const a = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  const b = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0) || 1;
}
