/**
 * Finished evaluations on their way to the server: queued in memory, sent in batches in the order they came, one request
 * at a time. What the server cannot take now is kept and tried again; what it refuses is dropped, and only that; what the
 * queue cannot hold pushes out the oldest. Everything dropped is counted and reported.
 */
import type { Issue } from '../core/errors.ts';
import type { EvaluationResult } from '../gates/evaluation-result.ts';
import { type Answer, backoffMs, type SdkSurroundings, type ServerOptions, send } from './http.ts';

/** What is known of an evaluation beside the engine's result. Only this and the result's own metadata are ever sent. */
export interface TrackExtras {
  source?: 'sdk' | 'proxy';
  direction?: 'request' | 'response' | null;
  latency_ms?: number | null;
  session_id?: string | null;
  trace_id?: string | null;
  model?: string | null;
  version?: string | null;
  tags?: readonly string[];
}

export interface Dropped {
  count: number;
  /** `queue_full`: the oldest had to go. `refused`: the server named them. `closed`: time was up. `invalid`: no result. */
  reason: 'queue_full' | 'refused' | 'closed' | 'invalid';
}

export interface TelemetryOptions {
  flushMs: number;
  batchSize: number;
  queueMax: number;
  sampleRate: number;
  onDrop(dropped: Dropped): void;
}

/**
 * An evaluation that waits. What of it goes over the wire is picked when it is sent, because `track` has no time for that:
 * until then the result is not the caller's to change.
 */
interface Waiting {
  evaluation_id: string;
  result: EvaluationResult;
  extras: TrackExtras;
}

export class Telemetry {
  readonly #server: ServerOptions;
  readonly #options: TelemetryOptions;
  readonly #surroundings: SdkSurroundings;
  #queue: Waiting[] = [];
  /** Ids that are queued, so that one evaluation is sent once. */
  readonly #known = new Set<string>();
  readonly #dropped = new Map<Dropped['reason'], number>();
  #pumping: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #waitUntil = 0;
  #signedAt = 0;
  /** Halved when a batch is refused without saying why, until what is wrong stands alone. */
  #batchSize: number;
  /** A full batch has asked to go at once; it asks once, however many come after it. */
  #hurried = false;
  /** How many at the head of the queue are on their way. */
  #sending = 0;
  #closed = false;
  /** Time is up: what is under way is given up. */
  readonly #over = new AbortController();

  constructor(server: ServerOptions, options: TelemetryOptions, surroundings: SdkSurroundings) {
    this.#server = server;
    this.#options = options;
    this.#surroundings = surroundings;
    this.#batchSize = options.batchSize;
  }

  get pending(): number {
    return this.#queue.length;
  }

  /** Takes an evaluation, at once and without ever throwing. */
  track(result: EvaluationResult, extras: TrackExtras = {}): void {
    try {
      if (this.#closed) {
        this.#drop('closed', 1);
        return;
      }
      const { sampleRate, queueMax, batchSize } = this.#options;
      if (sampleRate < 1 && this.#surroundings.random() >= sampleRate) return;
      const { evaluation_id, gates } = result;
      if (!Array.isArray(gates)) throw new TypeError('no result of an engine');
      if (this.#known.has(evaluation_id)) return;
      this.#known.add(evaluation_id);
      this.#queue.push({ evaluation_id, result, extras });
      if (this.#queue.length > queueMax) this.#dropOldest();
      if (this.#pumping !== undefined) return;
      if (this.#queue.length >= batchSize && !this.#hurried) {
        this.#hurried = true;
        this.#arm(0);
      } else if (this.#timer === undefined) this.#arm(this.#options.flushMs);
    } catch {
      this.#drop('invalid', 1);
    }
  }

  /** Sends what is queued now, and answers when it is gone or the server cannot take it. */
  async flush(): Promise<void> {
    this.#disarm();
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
      this.#hurried = this.#queue.length > 0;
      this.#reportDrops();
      if (this.#queue.length > 0 && !this.#closed)
        this.#arm(Math.max(1, this.#waitUntil - this.#surroundings.now()));
    });
    await this.#pumping;
  }

  /** Takes nothing more, tries for so long to get rid of what is queued, and counts the rest as dropped. */
  async close(timeoutMs: number): Promise<void> {
    this.#closed = true;
    const { now, sleep } = this.#surroundings;
    const deadline = now() + timeoutMs;
    const { signal } = this.#over;
    const over = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const timer = setTimeout(() => this.#over.abort(), timeoutMs);
    await Promise.race([this.flush(), over]);
    while (this.#queue.length > 0 && now() < deadline && !signal.aborted) {
      await sleep(Math.min(Math.max(1, this.#waitUntil - now()), Math.max(0, deadline - now())));
      await Promise.race([this.flush(), over]);
    }
    clearTimeout(timer);
    this.#drop('closed', this.#queue.length);
    this.#forget(this.#queue.splice(0));
    this.#reportDrops();
  }

  async #pump(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#surroundings.now() < this.#waitUntil) return;
      const { batch, body } = this.#pack();
      if (batch.length === 0) continue;
      this.#sending = batch.length;
      const answer = await this.#send(body);
      this.#sending = 0;
      if (answer.kind === 'later') {
        this.#attempt++;
        const delay = answer.retryAfterMs ?? backoffMs(this.#attempt, this.#surroundings.random());
        this.#waitUntil = this.#surroundings.now() + delay;
        return;
      }
      this.#attempt = 0;
      if (answer.kind === 'done') this.#remove(batch);
      else if (!this.#handleRefusal(batch, answer)) return;
    }
    this.#batchSize = this.#options.batchSize;
  }

  /** The next batch and what it is on the wire. What cannot be written as JSON is dropped, and takes nothing with it. */
  #pack(): { batch: Waiting[]; body: string } {
    const batch: Waiting[] = [];
    const events: string[] = [];
    const broken: Waiting[] = [];
    for (const waiting of this.#queue.slice(0, this.#batchSize)) {
      try {
        events.push(JSON.stringify(toEvent(waiting.result, waiting.extras, this.#options.sampleRate)));
        batch.push(waiting);
      } catch {
        broken.push(waiting);
      }
    }
    if (broken.length > 0) {
      this.#drop('invalid', broken.length);
      this.#remove(broken);
    }
    return { batch, body: `{"events":[${events.join(',')}]}` };
  }

  #send(body: string): Promise<Answer> {
    // A signature is good once: a batch that is tried again in the same second needs another time.
    this.#signedAt = Math.max(
      Math.floor(this.#surroundings.now() / 1000),
      this.#attempt > 0 ? this.#signedAt + 1 : 0,
    );
    return send(
      this.#server,
      {
        method: 'POST',
        path: '/v1/ingest',
        body,
        signedAt: this.#signedAt,
        signal: this.#over.signal,
      },
      this.#surroundings,
    );
  }

  /** Drops what a refusal names, or looks for it in smaller batches. False when trying on makes no sense for now. */
  #handleRefusal(
    batch: Waiting[],
    { status, details }: { status: number; details: readonly Issue[] },
  ): boolean {
    if (status !== 400 && status !== 413) {
      // A key that is not good, or a server that is none: nothing is wrong with the events.
      this.#attempt = 7;
      this.#waitUntil = this.#surroundings.now() + 30_000;
      return false;
    }
    const named = [...new Set(details.flatMap(({ path }) => eventIndex(path)))].filter(
      (i) => i < batch.length,
    );
    if (named.length > 0) this.#refuse(named.map((i) => batch[i] as Waiting));
    else if (batch.length === 1) this.#refuse(batch);
    else this.#batchSize = Math.ceil(batch.length / 2);
    return true;
  }

  #refuse(events: readonly Waiting[]): void {
    this.#drop('refused', events.length);
    this.#remove(events);
  }

  #remove(events: readonly Waiting[]): void {
    const gone = new Set(events);
    this.#queue = this.#queue.filter((event) => !gone.has(event));
    this.#forget(events);
  }

  #forget(events: readonly Waiting[]): void {
    for (const { evaluation_id } of events) this.#known.delete(evaluation_id);
  }

  #dropOldest(): void {
    // A tenth at a time, so that a full queue is not shifted for every event; what is on its way is no longer ours to drop.
    const count = Math.max(1, Math.floor(this.#options.queueMax / 10));
    const oldest = this.#queue.splice(this.#sending, count);
    this.#forget(oldest);
    this.#drop('queue_full', oldest.length);
  }

  #drop(reason: Dropped['reason'], count: number): void {
    if (count > 0) this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + count);
  }

  #reportDrops(): void {
    for (const [reason, count] of this.#dropped) {
      try {
        this.#options.onDrop({ count, reason });
      } catch {
        // Whoever listens has a fault of their own; it is not ours to spread.
      }
    }
    this.#dropped.clear();
  }

  #arm(delayMs: number): void {
    this.#disarm();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // It throws nothing that is known of; if it ever did, that would be no reason to end the caller's process.
      this.flush().catch(() => undefined);
    }, delayMs);
    // Telemetry alone keeps no process alive; `close` is for what must arrive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** The metadata of an evaluation: no details, no payload, nothing that the wire does not know. */
function toEvent(result: EvaluationResult, extras: TrackExtras, sampleRate: number): object {
  return {
    evaluation_id: result.evaluation_id,
    agent_id: result.agent_id,
    tool: result.tool,
    passed: result.passed,
    gates: result.gates.map(({ name, outcome, passed, latency_ms, reason }) => ({
      name,
      outcome,
      passed,
      latency_ms,
      reason,
    })),
    total_latency_ms: result.total_latency_ms,
    timestamp: result.timestamp,
    suite_hash: result.suite_hash,
    source: extras.source ?? 'sdk',
    direction: extras.direction,
    latency_ms: extras.latency_ms,
    session_id: extras.session_id,
    trace_id: extras.trace_id,
    model: extras.model,
    version: extras.version,
    tags: extras.tags,
    sample_rate: sampleRate,
  };
}

/** `events[3].passed` and `events.3.passed` name the fourth event. */
function eventIndex(path: string): number[] {
  const index = /^events(?:\[(\d+)\]|\.(\d+)\b)/.exec(path);
  return index ? [Number(index[1] ?? index[2])] : [];
}
