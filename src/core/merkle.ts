/**
 * A Merkle tree over a list of texts, as Certificate Transparency has it (RFC 9162 §2.1): leaves and nodes are hashed with
 * different first bytes, so that no node can pass for a leaf, and a list of any length has one root. A root of 32 bytes
 * fixes the whole list; a proof of about nine hashes shows that one text is in it, and where, without showing the others.
 */
import { sha256 } from './sha256.ts';

export interface InclusionProof {
  /** Where the leaf stands, from 0, among how many. */
  index: number;
  size: number;
  /** The hashes beside the way from the leaf up to the root, in hex. */
  path: string[];
}

/** In hex. The root of no leaves is the hash of nothing. */
export function merkleRoot(leaves: readonly string[]): string {
  return toHex(rootOf(leaves.map(leafHash)));
}

export function proveInclusion(leaves: readonly string[], index: number): InclusionProof {
  const path: string[] = [];
  climb(leaves.map(leafHash), index, path);
  return { index, size: leaves.length, path };
}

/** Never throws, whatever it is given: a proof from a stranger either holds or does not. */
export function verifyInclusion(leaf: string, { index, size, path }: InclusionProof, root: string): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  let [place, last] = [index, size - 1];
  let hash = leafHash(leaf);
  for (const sibling of path) {
    const other = fromHex(sibling);
    if (last === 0 || other === null) return false;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(other, hash);
      // At the right edge a node without a sibling rises as it is.
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else hash = nodeHash(hash, other);
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && toHex(hash) === root;
}

/** The root of a range of hashes; notes the sibling of the leaf that is being proved, when it is in the range. */
function climb(hashes: readonly Uint8Array[], index: number, path: string[]): Uint8Array {
  if (hashes.length <= 1) return hashes[0] ?? sha256(new Uint8Array());
  const split = largestPowerBelow(hashes.length);
  const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
  if (index < split) {
    const inner = climb(left, index, path);
    const sibling = rootOf(right);
    path.push(toHex(sibling));
    return nodeHash(inner, sibling);
  }
  const inner = climb(right, index - split, path);
  const sibling = rootOf(left);
  path.push(toHex(sibling));
  return nodeHash(sibling, inner);
}

function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length <= 1) return hashes[0] ?? sha256(new Uint8Array());
  const split = largestPowerBelow(hashes.length);
  return nodeHash(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}

function largestPowerBelow(n: number): number {
  return 2 ** Math.ceil(Math.log2(n) - 1);
}

function leafHash(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const prefixed = new Uint8Array(bytes.length + 1);
  prefixed.set(bytes, 1);
  return sha256(prefixed);
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(65);
  joined[0] = 1;
  joined.set(left, 1);
  joined.set(right, 33);
  return sha256(joined);
}

function half(n: number): number {
  return Math.floor(n / 2);
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text: string): Uint8Array | null {
  if (typeof text !== 'string' || !/^[0-9a-f]{64}$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
