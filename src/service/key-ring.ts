/**
 * From the key in a request to the org it opens. Keys are kept by their SHA-256; the last ones seen are remembered for a
 * few seconds, so that a busy caller costs no reading and a revocation on another node is noticed all the same.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../core/limits.ts';
import type { ApiKey, Store } from '../store/store.ts';

/** How often the last use of a key is written down. */
const TOUCH_EVERY_MS = 60_000;

interface Seen {
  key: ApiKey;
  hash: Buffer;
  readAt: number;
  touchedAt: number;
}

export class KeyRing {
  readonly #store: Store;
  readonly #clock: () => number;
  /** By hash, in the order of reading. */
  readonly #seen = new Map<string, Seen>();

  constructor(store: Store, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The key, if it is good. Answers at once for one that was seen a moment ago; before any other is looked for in the
   * store, `beforeReading` may object.
   */
  find(secret: string, beforeReading: () => void): ApiKey | null | Promise<ApiKey | null> {
    return this.findHashed(hashOf(secret), beforeReading);
  }

  /** The same by the hash, for a session that remembers with which key it was opened. */
  findHashed(hash: string, beforeReading: () => void): ApiKey | null | Promise<ApiKey | null> {
    const seen = this.#seen.get(hash);
    const now = this.#clock();
    if (seen && now - seen.readAt < LIMITS.keyTrustMs) return this.#check(seen, hash, now);
    beforeReading();
    return this.#read(hash, now);
  }

  /** To be called when a key of this process's store changes, so that it counts from now on. */
  forget(keyId: string): void {
    for (const [hash, { key }] of this.#seen) if (key.keyId === keyId) this.#seen.delete(hash);
  }

  async #read(hash: string, now: number): Promise<ApiKey | null> {
    const key = await this.#store.keys.findByHash(hash);
    if (!key) return null;
    const seen: Seen = {
      key,
      hash: Buffer.from(key.hash),
      readAt: now,
      touchedAt: this.#seen.get(hash)?.touchedAt ?? key.lastUsedAt ?? 0,
    };
    this.#seen.delete(hash);
    this.#seen.set(hash, seen);
    if (this.#seen.size > LIMITS.keysCachedMax) {
      const [oldest = ''] = this.#seen.keys();
      this.#seen.delete(oldest);
    }
    return this.#check(seen, hash, now);
  }

  /** The lookup found it by its hash; the comparison that decides takes the same time wherever they differ. */
  #check(seen: Seen, hash: string, now: number): ApiKey | null {
    const given = Buffer.from(hash);
    if (given.length !== seen.hash.length || !timingSafeEqual(given, seen.hash)) return null;
    if (seen.key.revokedAt !== null) return null;
    if (now - seen.touchedAt >= TOUCH_EVERY_MS) {
      seen.touchedAt = now;
      // Nobody waits for this note, and a store that is closing may refuse it.
      this.#store.keys.touch(seen.key.orgId, seen.key.keyId, now).catch(() => undefined);
    }
    return seen.key;
  }
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
