/** What was read of each org a moment ago: a change on another node counts within seconds, and a busy org costs no reading. */
import { LIMITS } from '../core/limits.ts';

export class Remembered<T> {
  readonly #clock: () => number;
  readonly #load: (orgId: string) => Promise<T>;
  readonly #seen = new Map<string, { value: T; readAt: number }>();

  constructor(clock: () => number, load: (orgId: string) => Promise<T>) {
    this.#clock = clock;
    this.#load = load;
  }

  async read(orgId: string): Promise<T> {
    const now = this.#clock();
    const seen = this.#seen.get(orgId);
    if (seen && now - seen.readAt < LIMITS.keyTrustMs) return seen.value;
    const value = await this.#load(orgId);
    if (this.#seen.size >= LIMITS.keysCachedMax) this.#seen.clear();
    this.#seen.set(orgId, { value, readAt: now });
    return value;
  }

  /** To be called when this process changes it. */
  forget(orgId: string): void {
    this.#seen.delete(orgId);
  }
}
