/**
 * SHA-256 (FIPS 180-4), for Merkle trees. Written out because core runs anywhere: a receipt is verified offline, in any
 * runtime, by a function that neither waits nor asks.
 */
import { padMessage, toDigest } from './sha-padding.ts';

export function sha256(message: Uint8Array): Uint8Array {
  const state = Uint32Array.from(INITIAL);
  const padded = padMessage(message);
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = padded.getUint32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const [a, b] = [at(words, i - 15), at(words, i - 2)];
      const small = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const large = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      words[i] = at(words, i - 16) + small + at(words, i - 7) + large;
    }
    compress(state, words);
  }
  return toDigest(state);
}

function compress(state: Uint32Array, words: Uint32Array): void {
  const [a0, b0, c0, d0, e0, f0, g0, h0] = state as unknown as number[] as Eight;
  let [a, b, c, d, e, f, g, h]: Eight = [a0, b0, c0, d0, e0, f0, g0, h0];
  for (let i = 0; i < 64; i++) {
    const large = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + large + ((e & f) ^ (~e & g)) + at(ROUNDS, i) + at(words, i)) | 0;
    const small = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => {
    state[i] = at(state, i) + value;
  });
}

type Eight = [number, number, number, number, number, number, number, number];

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

function at(words: Uint32Array, index: number): number {
  return words[index] as number;
}

/** The fractions of the square roots of the first eight primes, and of the cube roots of the first 64, as 32 bits. */
const PRIMES = firstPrimes(64);
const INITIAL = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const ROUNDS = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));

function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}
