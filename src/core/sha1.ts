import { padMessage, toDigest } from './sha-padding.ts';

/**
 * SHA-1 (FIPS 180-4), for UUIDv5 alone, which is defined by it; not for secrets. Written out because core runs
 * anywhere, and neither node:crypto nor the asynchronous Web Crypto can be used from a pure function.
 */
export function sha1(message: Uint8Array): Uint8Array {
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const padded = padMessage(message);
  const words = new Uint32Array(80);
  for (let block = 0; block < padded.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = padded.getUint32(block + i * 4);
    for (let i = 16; i < 80; i++) {
      words[i] = rotate(
        word(words, i - 3) ^ word(words, i - 8) ^ word(words, i - 14) ^ word(words, i - 16),
        1,
      );
    }
    compress(state, words);
  }
  return toDigest(state);
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
  for (let i = 0; i < 80; i++) {
    let f: number;
    if (i < 20) f = ((b & c) | (~b & d)) + 0x5a827999;
    else if (i < 40) f = (b ^ c ^ d) + 0x6ed9eba1;
    else if (i < 60) f = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    else f = (b ^ c ^ d) + 0xca62c1d6;
    const next = (rotate(a, 5) + f + e + word(words, i)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  [a, b, c, d, e].forEach((value, i) => {
    state[i] = word(state, i) + value;
  });
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function word(words: Uint32Array, index: number): number {
  return words[index] as number;
}
