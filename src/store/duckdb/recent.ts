import { Fingerprints } from './fingerprints.ts';

/**
 * What was stored lately, so that a delivery which is sent again is not stored again. It forgets, and may: what is stored
 * twice is read as once. Two generations of fingerprints; the older one goes when the younger one is full.
 */
const GENERATION = 500_000;

export class Recent {
  #young = new Fingerprints();
  #old = new Fingerprints();
  #count = 0;

  has(fingerprint: number): boolean {
    return this.#young.has(fingerprint) || this.#old.has(fingerprint);
  }

  add(fingerprint: number): void {
    if (!this.#young.add(fingerprint) || ++this.#count < GENERATION) return;
    this.#old = this.#young;
    this.#clearYoung();
  }

  /** After something was removed, which may come again. */
  clear(): void {
    this.#old = new Fingerprints();
    this.#clearYoung();
  }

  #clearYoung(): void {
    this.#young = new Fingerprints();
    this.#count = 0;
  }
}
