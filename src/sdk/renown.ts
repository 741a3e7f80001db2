import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { checkAgentId } from '../core/ids.ts';
import { Issues } from '../core/issues.ts';
import type { EvaluationResult } from '../gates/evaluation-result.ts';
import type { GateContext } from '../gates/gate.ts';
import { ask, type SdkSurroundings, type ServerOptions } from './http.ts';
import { type Dropped, Telemetry, type TrackExtras } from './telemetry.ts';

export interface RenownOptions {
  /** Where the server is, without a path. */
  url: string;
  key: string;
  /** Signs batches, so that the server can tell them from what anybody with a key could report. */
  signingSecret?: string;
  flushMs?: number;
  batchSize?: number;
  queueMax?: number;
  /** The share of evaluations that is sent, from above 0 to 1; it is sent along. */
  sampleRate?: number;
  onDrop?(dropped: Dropped): void;
  /** How long one request may take. */
  timeoutMs?: number;
  surroundings?: Partial<SdkSurroundings>;
}

/** What the server says of one output. */
export interface ServerEvaluation
  extends Pick<EvaluationResult, 'evaluation_id' | 'passed' | 'gates' | 'total_latency_ms'> {
  reputation: { score: number; lifecycle: string; eval_count: number };
}

export interface ServerContext extends GateContext {
  model?: string | null;
  version?: string | null;
  tags?: readonly string[] | null;
}

const SURROUNDINGS: SdkSurroundings = {
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * A client of the server. `track` reports what an engine in this process has judged, in the background; `evaluate` lets
 * the server judge. Of what was tracked nothing but metadata leaves the process.
 */
export class Renown {
  readonly #server: ServerOptions;
  readonly #surroundings: SdkSurroundings;
  readonly #telemetry: Telemetry;

  constructor(options: RenownOptions) {
    const {
      flushMs = 5000,
      batchSize = 100,
      queueMax = 10_000,
      sampleRate = 1,
      timeoutMs = 10_000,
    } = options;
    checkOptions({ ...options, flushMs, batchSize, queueMax, sampleRate, timeoutMs });
    this.#server = {
      url: options.url.replace(/\/+$/, ''),
      key: options.key,
      signingSecret: options.signingSecret,
      timeoutMs,
    };
    this.#surroundings = { ...SURROUNDINGS, ...options.surroundings };
    this.#telemetry = new Telemetry(
      this.#server,
      { flushMs, batchSize, queueMax, sampleRate, onDrop: options.onDrop ?? warnOfDrop },
      this.#surroundings,
    );
  }

  /**
   * Reports an evaluation: at once, in the background, and without ever throwing. An id that waits already is not queued
   * again, and the server counts it once in any case. The result is not to be changed afterwards.
   */
  track(result: EvaluationResult, extras?: TrackExtras): void {
    this.#telemetry.track(result, extras);
  }

  /** How many evaluations wait to be sent. */
  get pending(): number {
    return this.#telemetry.pending;
  }

  /** Lets the server run its gates over one output. Retried under one evaluation id, so that it counts once. */
  async evaluate(context: ServerContext): Promise<ServerEvaluation> {
    const evaluation_id = context.evaluation_id ?? crypto.randomUUID();
    return (await this.#post('/v1/evaluate', { ...context, evaluation_id })) as ServerEvaluation;
  }

  /** Where an agent stands. */
  async reputation(agentId: string): Promise<Record<string, unknown>> {
    const issues = new Issues();
    checkAgentId(agentId, 'agentId', issues);
    issues.throwIfAny();
    const path = `/v1/reputation/${encodeURIComponent(agentId)}`;
    return (await ask(this.#server, { method: 'GET', path }, this.#surroundings)) as Record<string, unknown>;
  }

  /** Signals of traces, as `POST /v1/signals` takes them. */
  signals(traces: readonly object[]): Promise<unknown> {
    return this.#post('/v1/signals', { traces });
  }

  /** Reputation events of identities, as `POST /v1/reputation-events` takes them. Each gets an id, to be retried safely. */
  events(events: readonly object[]): Promise<unknown> {
    return this.#post('/v1/reputation-events', {
      events: events.map((event) => ({ event_id: crypto.randomUUID(), ...event })),
    });
  }

  /** Sends what is queued now, and answers when it is gone or the server cannot take it. */
  flush(): Promise<void> {
    return this.#telemetry.flush();
  }

  /** Takes nothing more, and gives what is queued so long to arrive. */
  close({ timeoutMs = 5000 }: { timeoutMs?: number } = {}): Promise<void> {
    return this.#telemetry.close(timeoutMs);
  }

  #post(path: string, body: object): Promise<unknown> {
    return ask(this.#server, { method: 'POST', path, body: JSON.stringify(body) }, this.#surroundings);
  }
}

function warnOfDrop({ count, reason }: Dropped): void {
  console.warn(`renown: ${count} evaluations were not sent (${reason}).`);
}

function checkOptions(
  options: Required<
    Pick<RenownOptions, 'url' | 'key' | 'flushMs' | 'batchSize' | 'queueMax' | 'sampleRate' | 'timeoutMs'>
  >,
): void {
  const issues = new Issues();
  if (!/^https?:\/\/[^/]+/.test(String(options.url)))
    issues.add('url', 'must begin with http:// or https://');
  if (typeof options.key !== 'string' || !/^[\x21-\x7e]+$/.test(options.key))
    issues.add('key', 'must be a key of the org');
  issues.number(options.flushMs, 'flushMs', { min: 1, max: CLIENT_LIMITS.latencyMsMax });
  issues.whole(options.batchSize, 'batchSize', { min: 1, max: CLIENT_LIMITS.batchMax });
  issues.whole(options.queueMax, 'queueMax', { min: 1, max: CLIENT_LIMITS.sdkQueueMax });
  issues.number(options.sampleRate, 'sampleRate', { min: CLIENT_LIMITS.sampleRateMin, max: 1 });
  issues.number(options.timeoutMs, 'timeoutMs', { min: 1, max: CLIENT_LIMITS.latencyMsMax });
  issues.throwIfAny();
}
