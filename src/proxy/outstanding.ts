/**
 * What the client has asked and the server has not answered. Everything that is asked is in here, so that an answer to
 * nobody's question can be told; and no answer that a gate would look at is let go because its call was forgotten.
 */
import { LIMITS } from '../core/limits.ts';
import type { Engine } from '../gates/engine.ts';
import type { EvaluationResult } from '../gates/evaluation-result.ts';
import { IdBook } from './id-book.ts';
import type { Id } from './message.ts';

/** A call of a tool that the server has. */
export interface ToolCall {
  tool: string;
  /** What the gates said of its arguments, and of what else has come of it so far. */
  verdict: EvaluationResult | null;
  /** How long the server has taken for it before. */
  spentMs: number;
}

/** A request that the server has, and what its answer will be. */
export type Asked =
  | { kind: 'initialize' }
  | { kind: 'tool'; call: ToolCall; sentAt: number }
  /** What a task has come to, or how it stands. */
  | { kind: 'task'; method: string; taskId: unknown; sentAt: number }
  | { kind: 'reading'; tool: string; engine: Engine }
  /** Something that no gate looks at. */
  | { kind: 'other' };

export class Outstanding {
  readonly #judged = new IdBook<Asked>();
  readonly #cancelled = new IdBook<Asked>(LIMITS.proxyRememberedMax);
  /** Bounded too: an answer to one that was forgotten is judged, which is on the safe side. */
  readonly #others = new IdBook<Asked>(LIMITS.proxyPendingMax);
  readonly #tasks = new Map<unknown, ToolCall>();

  /** Requests whose answer will be judged, without those that the client has cancelled. */
  get size(): number {
    return this.#judged.size;
  }

  expect(id: Id, asked: Asked): void {
    (asked.kind === 'other' ? this.#others : this.#judged).put(id, asked);
  }

  /** The client no longer waits, but the answer may be on its way, and may be read by whoever has not noticed. */
  cancel(id: Id): void {
    const asked = this.#judged.take(id, 'exactly');
    if (asked) this.#cancelled.put(id, asked);
  }

  /** What an answer with this id answers. Anything with exactly this id comes before what is merely like it. */
  take(id: Id): Asked | undefined {
    for (const how of ['exactly', 'alike'] as const) {
      for (const book of [this.#judged, this.#cancelled, this.#others]) {
        const asked = book.take(id, how);
        if (asked) return asked;
      }
    }
    return undefined;
  }

  /** A call that goes on as a task. The oldest are forgotten when there are many: no server says when it drops one. */
  startTask(taskId: string, call: ToolCall): void {
    this.#tasks.delete(taskId);
    this.#tasks.set(taskId, call);
    if (this.#tasks.size <= LIMITS.proxyRememberedMax) return;
    for (const oldest of this.#tasks.keys()) {
      this.#tasks.delete(oldest);
      return;
    }
  }

  /** The call that became this task, which is over now. */
  endTask(taskId: unknown): ToolCall | undefined {
    const call = this.#tasks.get(taskId);
    this.#tasks.delete(taskId);
    return call;
  }
}
