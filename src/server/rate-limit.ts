import { LIMITS } from '../core/limits.ts';

export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full again, and until the next request is allowed. */
  resetS: number;
  retryAfterS: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** A token bucket for each caller: so many requests at once, refilled by so many a second. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #clock: () => number;
  /** In the order of their first use; when there are too many the oldest is forgotten, and starts full again. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ perSecond, burst, clock }: { perSecond: number; burst: number; clock: () => number }) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#clock = clock;
  }

  take(caller: string): Allowance {
    const now = this.#clock();
    const bucket = this.#buckets.get(caller) ?? this.#add(caller, now);
    const elapsed = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + (elapsed / 1000) * this.#perSecond);
    bucket.at = now;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens--;
    return {
      allowed,
      limit: this.#burst,
      remaining: Math.floor(bucket.tokens),
      resetS: Math.ceil((this.#burst - bucket.tokens) / this.#perSecond),
      retryAfterS: allowed ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond)),
    };
  }

  #add(caller: string, now: number): Bucket {
    if (this.#buckets.size >= LIMITS.rateBucketsMax) {
      const [oldest = ''] = this.#buckets.keys();
      this.#buckets.delete(oldest);
    }
    const bucket = { tokens: this.#burst, at: now };
    this.#buckets.set(caller, bucket);
    return bucket;
  }
}
