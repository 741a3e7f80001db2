/**
 * Whether one of many belongs to a sample: decided by its name and a seed alone, so that the same seed picks the same
 * ones whatever else there is, and a higher rate keeps all that a lower one picked.
 */
export function isSampled(name: string, { rate, seed }: { rate: number; seed: number }): boolean {
  return hash(name, seed) < rate * 2 ** 32;
}

/** 32 bits of a text: FNV-1a, with the finish of MurmurHash3, because FNV alone leaves the upper bits to short names. */
function hash(text: string, seed: number): number {
  let value = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
