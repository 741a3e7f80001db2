const PRIME = 0x01000193;

/**
 * Whether bytes come back as they were written (FNV-1a over words, in two lanes because there are megabytes). It finds what a
 * disk or a crash does to a file, and is no defence against whoever means harm.
 */
export function checksumOf(bytes: Uint8Array): number {
  const isAligned = bytes.byteOffset % Int32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset, byteLength } = isAligned ? bytes : Uint8Array.from(bytes);
  const words = new Int32Array(buffer, byteOffset, byteLength >>> 2);
  let even = byteLength;
  let odd = PRIME;
  for (let i = 0; i + 1 < words.length; i += 2) {
    even = Math.imul(even ^ (words[i] as number), PRIME);
    odd = Math.imul(odd ^ (words[i + 1] as number), PRIME);
  }
  // The last few, which fill no two words.
  for (let i = (words.length >>> 1) * 8; i < byteLength; i++)
    even = Math.imul(even ^ (bytes[i] as number), PRIME);
  return (even ^ Math.imul(odd, PRIME)) >>> 0;
}
