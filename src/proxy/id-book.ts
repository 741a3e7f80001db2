/**
 * Things kept under the ids of JSON-RPC. The number 1 and the text "1" are different ids, and may be in use at the same time;
 * but there are clients that read every id as a number, so that an answer to "1" or "1.0" reaches whoever waits for 1.
 * That is why a thing can also be found by an id that is merely like its own.
 */
import type { Id } from './message.ts';

export class IdBook<T> {
  readonly #entries = new Map<string, { id: Id; thing: T }[]>();
  readonly #max: number;
  #size = 0;

  /** Beyond `max` things, the oldest make room. */
  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  put(id: Id, thing: T): void {
    const like = toLikeness(id);
    const others = this.#entries.get(like);
    if (others) others.push({ id, thing });
    else this.#entries.set(like, [{ id, thing }]);
    this.#size++;
    if (this.#size > this.#max) this.#dropOldest();
  }

  /** Takes out what was put under exactly this id, or under one like it; the first, if there are several. */
  take(id: Id, how: 'exactly' | 'alike'): T | undefined {
    const like = toLikeness(id);
    const entries = this.#entries.get(like) ?? [];
    const at = how === 'alike' ? 0 : entries.findIndex((entry) => entry.id === id);
    return at === -1 ? undefined : this.#remove(like, at);
  }

  #dropOldest(): void {
    for (const like of this.#entries.keys()) {
      this.#remove(like, 0);
      return;
    }
  }

  #remove(like: string, at: number): T | undefined {
    const entries = this.#entries.get(like) ?? [];
    const [entry] = entries.splice(at, 1);
    if (entries.length === 0) this.#entries.delete(like);
    if (entry) this.#size--;
    return entry?.thing;
  }
}

function toLikeness(id: Id): string {
  const number = Number(id);
  return Number.isNaN(number) ? String(id) : String(number);
}
