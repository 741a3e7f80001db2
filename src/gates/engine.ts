/**
 * Runs gates over one output and says whether it may go on. Stateless, so one engine serves every caller at once.
 *
 * It fails closed: a gate that throws, answers nonsense or takes too long blocks the output. Gates start in the order
 * given; those that answer with a promise run side by side while the next ones start. With `failFast` the first failure
 * stops the rest; timeouts and errors do not, because a slow gate must not hide a failure.
 */

import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { checkAgentId } from '../core/ids.ts';
import { Issues } from '../core/issues.ts';
import { type EvaluationResult, type GateResult, isPassed } from './evaluation-result.ts';
import { type Gate, type GateContext, type GateFinding, Undecided } from './gate.ts';
import { shareText, walkedLength } from './text.ts';
import type { WalkBounds } from './walk-text.ts';

export interface EngineOptions {
  gates: readonly Gate[];
  /**
   * For each gate, and as much again for every 64 Ki characters that gates have walked: a large text takes its time, and
   * is no reason to block. A synchronous gate cannot be stopped: its overrun is recorded when it returns.
   */
  timeoutMs?: number;
  failFast?: boolean;
  /** How far gates look into an output; 1 MiB of text and 200,000 fields unless this says otherwise. Beyond it they do not say `passed`. */
  bounds?: WalkBounds;
  /** Goes with every result; suites have one. */
  suiteHash?: string;
  surroundings?: Surroundings;
}

/** The clocks and the randomness an engine uses. */
interface Surroundings {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number;
  newId(): string;
}

export interface Engine {
  readonly gateNames: readonly string[];
  readonly suiteHash: string | null;
  evaluate(context: GateContext): Promise<EvaluationResult>;
}

const SURROUNDINGS: Surroundings = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  newId: () => crypto.randomUUID(),
};

export function createEngine(options: EngineOptions): Engine {
  const { timeoutMs = 50, failFast = true, surroundings = SURROUNDINGS, suiteHash, bounds } = options;
  const gates = [...options.gates];
  checkOptions(gates, timeoutMs);
  return {
    gateNames: gates.map(({ name }) => name),
    suiteHash: suiteHash ?? null,
    async evaluate(context) {
      const issues = new Issues();
      // A copy: what the caller does to the context while gates run is no concern of theirs.
      const copy = copyOf(context);
      checkAgentId(copy.agent_id, 'agent_id', issues);
      issues.throwIfAny();
      const run = new Run(copy, { timeoutMs, failFast, bounds, elapsed: surroundings.elapsed });
      const started = surroundings.elapsed();
      const results = await run.all(gates);
      return {
        evaluation_id: copy.evaluation_id ?? surroundings.newId(),
        agent_id: copy.agent_id,
        tool: copy.tool ?? null,
        passed: isPassed(results),
        gates: results,
        total_latency_ms: Math.max(0, surroundings.elapsed() - started),
        timestamp: surroundings.now(),
        ...(suiteHash !== undefined && { suite_hash: suiteHash }),
      };
    },
  };
}

/** An output that throws when it is read throws in the gates that read it, and they block. */
function copyOf(context: GateContext): GateContext {
  try {
    return { ...context };
  } catch {
    return Object.defineProperties({}, Object.getOwnPropertyDescriptors(context)) as GateContext;
  }
}

interface RunOptions {
  timeoutMs: number;
  failFast: boolean;
  bounds: WalkBounds | undefined;
  elapsed: () => number;
}

/** One evaluation under way. */
class Run {
  readonly #context: GateContext;
  readonly #options: RunOptions;
  readonly #pending: { at: number; gate: Gate; spentMs: number; finding: Promise<GateFinding> }[] = [];
  readonly #abort = new AbortController();
  #stopped = false;

  constructor(context: GateContext, options: RunOptions) {
    this.#context = context;
    this.#options = options;
    shareText(context, options.bounds);
  }

  get #allowedMs(): number {
    return this.#options.timeoutMs * (1 + walkedLength(this.#context) / 65_536);
  }

  async all(gates: readonly Gate[]): Promise<GateResult[]> {
    const results = gates.map((gate, at) => this.#start(gate, at));
    if (this.#pending.length > 0) await this.#settle(results);
    // Whoever answered late is not waited for, and may as well stop.
    if (this.#pending.length > 0) this.#abort.abort();
    return results;
  }

  #start(gate: Gate, at: number): GateResult {
    if (this.#stopped) return aborted(gate, 0);
    const started = this.#options.elapsed();
    try {
      const finding = gate.run(this.#context, this.#abort.signal);
      if (isPromise(finding)) {
        this.#pending.push({ at, gate, spentMs: this.#options.elapsed() - started, finding });
        return aborted(gate, 0);
      }
      return this.#note(gate, started, finding);
    } catch (error) {
      return this.#threw(gate, started, error);
    }
  }

  /** Waits for the asynchronous gates, each for no longer than its timeout, and puts their results in place. */
  async #settle(results: GateResult[]): Promise<void> {
    const stop = new Promise<'stopped'>((resolve) => {
      if (this.#stopped) resolve('stopped');
      this.#abort.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
    });
    // The time that others took before anybody could listen is not theirs.
    const now = this.#options.elapsed();
    await Promise.all(
      this.#pending.map(async ({ at, gate, spentMs, finding }) => {
        results[at] = await this.#await(gate, now - spentMs, finding, stop);
      }),
    );
  }

  async #await(
    gate: Gate,
    started: number,
    finding: Promise<GateFinding>,
    stop: Promise<'stopped'>,
  ): Promise<GateResult> {
    const { elapsed } = this.#options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, started + this.#allowedMs - elapsed()), 'late');
    });
    try {
      const first = await Promise.race([finding, late, stop]);
      if (first === 'late') return this.#timedOut(gate, started);
      return first === 'stopped' ? aborted(gate, elapsed() - started) : this.#note(gate, started, first);
    } catch (error) {
      return this.#threw(gate, started, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #note(gate: Gate, started: number, finding: GateFinding): GateResult {
    const latencyMs = this.#options.elapsed() - started;
    if (latencyMs > this.#allowedMs) return this.#timedOut(gate, started);
    if (typeof finding?.passed !== 'boolean') {
      return toResult(gate, 'error', latencyMs, { reason: 'The gate answered without a verdict.' });
    }
    const outcome = finding.skipped === true ? 'skipped' : finding.passed ? 'passed' : 'failed';
    if (outcome === 'failed' && this.#options.failFast && !this.#stopped) {
      this.#stopped = true;
      this.#abort.abort();
    }
    return toResult(gate, outcome, latencyMs, finding);
  }

  #timedOut(gate: Gate, started: number): GateResult {
    const reason = `The gate took longer than ${Math.round(this.#allowedMs)} ms.`;
    return toResult(gate, 'timeout', this.#options.elapsed() - started, { reason });
  }

  #threw(gate: Gate, started: number, error: unknown): GateResult {
    // Of any other only its kind: its message may quote the payload.
    const reason = error instanceof Undecided ? error.message : `The gate threw ${nameOfError(error)}.`;
    return toResult(gate, 'error', this.#options.elapsed() - started, {
      reason,
      details: error,
    });
  }
}

function aborted(gate: Gate, latencyMs: number): GateResult {
  return toResult(gate, 'aborted', latencyMs, {});
}

function toResult(
  { name }: Gate,
  outcome: GateResult['outcome'],
  latencyMs: number,
  { reason, details }: { reason?: unknown; details?: unknown },
): GateResult {
  return {
    name,
    outcome,
    passed: outcome === 'passed' || outcome === 'skipped',
    latency_ms: Math.max(0, latencyMs),
    ...(typeof reason === 'string' && { reason: reason.slice(0, CLIENT_LIMITS.reasonLengthMax) }),
    ...(details !== undefined && { details }),
  };
}

function isPromise(value: unknown): value is Promise<GateFinding> {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}

function nameOfError(error: unknown): string {
  try {
    return error instanceof Error && /^\w{1,50}$/.test(error.name) ? error.name : 'something';
  } catch {
    return 'something';
  }
}

function checkOptions(gates: readonly Gate[], timeoutMs: number): void {
  const issues = new Issues();
  const seen = new Set<string>();
  issues.number(timeoutMs, 'timeoutMs', { min: 0, max: CLIENT_LIMITS.gateTimeoutMsMax });
  issues.whole(gates.length, 'gates.length', { min: 1, max: CLIENT_LIMITS.gatesMax });
  gates.forEach((gate, i) => {
    const { name, run } = gate ?? {};
    if (typeof name !== 'string' || name === '' || name.length > CLIENT_LIMITS.nameLengthMax) {
      issues.add(`gates[${i}].name`, `must be a text of 1 to ${CLIENT_LIMITS.nameLengthMax} characters`);
    } else if (seen.has(name)) {
      issues.add(`gates[${i}].name`, 'must be unique: an earlier gate has the same name');
    }
    if (typeof run !== 'function') issues.add(`gates[${i}].run`, 'must be a function');
    seen.add(name);
  });
  issues.throwIfAny();
}
