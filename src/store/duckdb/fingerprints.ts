/**
 * Which ids the ledger has seen, at eight bytes each. A fingerprint that is not here is new for certain; one that is
 * here has to be confirmed on disk, because two ids may share it (at ten million ids, one new id in 10^9 does), because
 * what had it may have been deleted since, and because it is added before its row is committed: a write that meets the
 * id of another write under way then asks its own transaction, which has waited for the other.
 *
 * An open-addressing table in 256 parts. A part doubles when it is 60 % full: rehashing one part of ten million takes a
 * few milliseconds, where a single table would hold up every writer for a second.
 */
const PARTS = 256;
const CAPACITY_FIRST = 64;
const EMPTY = -1;

export class Fingerprints {
  readonly #parts: Float64Array[] = Array.from({ length: PARTS }, () =>
    new Float64Array(CAPACITY_FIRST).fill(EMPTY),
  );
  readonly #counts = new Uint32Array(PARTS);

  has(fingerprint: number): boolean {
    const part = this.#parts[partOf(fingerprint)] as Float64Array;
    return part[slotOf(part, fingerprint)] === fingerprint;
  }

  /** False when it was there already. */
  add(fingerprint: number): boolean {
    const index = partOf(fingerprint);
    const part = this.#parts[index] as Float64Array;
    const slot = slotOf(part, fingerprint);
    if (part[slot] === fingerprint) return false;
    part[slot] = fingerprint;
    const count = (this.#counts[index] as number) + 1;
    this.#counts[index] = count;
    if (count > part.length * 0.6) this.#parts[index] = grown(part);
    return true;
  }
}

/**
 * 53 bits of a text, so that it fits a double (cyrb53, a public-domain mix by bryc). The seed is drawn once per ledger:
 * nobody who does not know it can choose ids that share a fingerprint.
 */
export function fingerprintOf(text: string, seed: number): number {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

function partOf(fingerprint: number): number {
  return fingerprint & (PARTS - 1);
}

/** Where it is, or where it would go. The upper bits choose the slot: the lower ones have chosen the part. */
function slotOf(part: Float64Array, fingerprint: number): number {
  const mask = part.length - 1;
  let slot = (fingerprint / PARTS) & mask;
  while (part[slot] !== EMPTY && part[slot] !== fingerprint) slot = (slot + 1) & mask;
  return slot;
}

function grown(part: Float64Array): Float64Array {
  const larger = new Float64Array(part.length * 2).fill(EMPTY);
  for (const fingerprint of part)
    if (fingerprint !== EMPTY) larger[slotOf(larger, fingerprint)] = fingerprint;
  return larger;
}
