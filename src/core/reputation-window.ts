/**
 * The window of one agent, kept up to date push by push: O(1) each, and once it is full nothing is allocated any more.
 * It promises the same reputation as `reputationOf` over the list of all that was pushed, however long it lives: the
 * sums keep about 30 digits (see RunningSum). It starts small and grows by doubling, so that a fleet of newcomers costs little memory.
 */
import { Issues, isWithin } from './issues.ts';
import { LIMITS } from './limits.ts';
import {
  checkEvaluation,
  checkEvaluations,
  computeReputation,
  type Evaluation,
  KINDS,
  type KnownAs,
  LATENCY_RANGE,
  type Reputation,
  SAMPLE_RATE_RANGE,
} from './reputation.ts';
import { RunningSum } from './stats/running-sum.ts';

const CAPACITY_FIRST = 16;

export class ReputationWindow {
  // A ring: the oldest evaluation stands at #next once the window is full, and at 0 before.
  /** Bit 0: passed. The bits above it: how it is known, as the place in KINDS. */
  #verdicts = new Uint8Array(CAPACITY_FIRST);
  #latencyMs = new Float64Array(CAPACITY_FIRST);
  /** NaN where the agent's own latency is not known. */
  #agentLatencyMs = new Float64Array(CAPACITY_FIRST);
  /** Null as long as nothing in the window was sampled, which is the usual case. */
  #sampleRates: Float64Array | null = null;
  #next = 0;
  #count = 0;
  #lifetime = 0;

  #passes = 0;
  #streak = 0;
  #agentLatencyCount = 0;
  readonly #latencySum = new RunningSum();
  readonly #agentLatencySum = new RunningSum();
  readonly #kinds = new Uint32Array(KINDS.length);
  /** What the evaluations stand for beyond themselves: nothing unless they were sampled. */
  readonly #weightSum = new RunningSum();
  readonly #squareSum = new RunningSum();

  /** `lifetimeEvaluations` where more were counted than are given: they have left the window long ago. */
  static from(evaluations: readonly Evaluation[], lifetimeEvaluations?: number): ReputationWindow {
    checkEvaluations(evaluations);
    checkLifetime(lifetimeEvaluations ?? evaluations.length, evaluations.length);
    const window = new ReputationWindow();
    for (const evaluation of evaluations) {
      const { passed, latencyMs, agentLatencyMs, knownAs, sampleRate } = evaluation;
      window.push(passed, latencyMs, agentLatencyMs, knownAs, sampleRate);
    }
    window.#lifetime = lifetimeEvaluations ?? window.#lifetime;
    return window;
  }

  /** Takes positional arguments because an object for each evaluation would be the one allocation of the hot path. */
  push(
    passed: boolean,
    latencyMs: number,
    agentLatencyMs?: number,
    knownAs: KnownAs = 'reported',
    sampleRate = 1,
  ): void {
    if (!isEvaluation(passed, latencyMs, agentLatencyMs, knownAs, sampleRate))
      refuse({ passed, latencyMs, agentLatencyMs, knownAs, sampleRate });
    if (this.#count === LIMITS.windowSize) this.#forgetOldest();
    else if (this.#count === this.#verdicts.length) this.#grow();

    const at = this.#next;
    const kind = KINDS.indexOf(knownAs);
    this.#verdicts[at] = (kind << 1) | (passed ? 1 : 0);
    this.#kinds[kind] = (this.#kinds[kind] as number) + 1;
    this.#noteSampling(at, sampleRate);
    this.#latencyMs[at] = latencyMs;
    this.#agentLatencyMs[at] = agentLatencyMs ?? Number.NaN;
    this.#next = at + 1 === LIMITS.windowSize ? 0 : at + 1;

    this.#count++;
    this.#lifetime++;
    if (passed) this.#passes++;
    // A streak as long as the window loses its oldest pass with each new one.
    this.#streak = passed ? Math.min(this.#streak + 1, LIMITS.windowSize) : 0;
    this.#latencySum.add(latencyMs);
    if (agentLatencyMs !== undefined) {
      this.#agentLatencyCount++;
      this.#agentLatencySum.add(agentLatencyMs);
    }
  }

  reputation(): Reputation {
    return computeReputation({
      evalCount: this.#count,
      passed: this.#passes,
      latencySumMs: this.#latencySum.value,
      agentLatencySumMs: this.#agentLatencySum.value,
      agentLatencyCount: this.#agentLatencyCount,
      streak: this.#streak,
      lifetimeEvaluations: this.#lifetime,
      evidence: {
        server: this.#kinds[0] as number,
        signed: this.#kinds[1] as number,
        reported: this.#kinds[2] as number,
      },
      sampledFrom: this.#count + this.#weightSum.value,
      sampledFromSquares: this.#count + this.#squareSum.value,
    });
  }

  /** The evaluations in the window, oldest first. */
  *evaluations(): Generator<Evaluation> {
    const oldest = this.#count === LIMITS.windowSize ? this.#next : 0;
    for (let i = 0; i < this.#count; i++) {
      const at = (oldest + i) % LIMITS.windowSize;
      const agentLatencyMs = this.#agentLatencyMs[at] as number;
      yield {
        passed: ((this.#verdicts[at] as number) & 1) === 1,
        latencyMs: this.#latencyMs[at] as number,
        agentLatencyMs: Number.isNaN(agentLatencyMs) ? undefined : agentLatencyMs,
        knownAs: KINDS[(this.#verdicts[at] as number) >> 1],
        sampleRate: this.#sampleRates?.[at] ?? 1,
      };
    }
  }

  copy(): ReputationWindow {
    return ReputationWindow.from([...this.evaluations()], this.#lifetime);
  }

  #forgetOldest(): void {
    const at = this.#next;
    this.#count--;
    const verdict = this.#verdicts[at] as number;
    this.#passes -= verdict & 1;
    this.#kinds[verdict >> 1] = (this.#kinds[verdict >> 1] as number) - 1;
    const sampleRate = this.#sampleRates?.[at] ?? 1;
    if (sampleRate < 1) {
      this.#weightSum.subtract(1 / sampleRate - 1);
      this.#squareSum.subtract(1 / sampleRate ** 2 - 1);
    }
    this.#latencySum.subtract(this.#latencyMs[at] as number);
    const agentLatencyMs = this.#agentLatencyMs[at] as number;
    if (!Number.isNaN(agentLatencyMs)) {
      this.#agentLatencyCount--;
      this.#agentLatencySum.subtract(agentLatencyMs);
    }
  }

  #noteSampling(at: number, sampleRate: number): void {
    if (sampleRate < 1) {
      this.#sampleRates ??= new Float64Array(this.#verdicts.length).fill(1);
      this.#weightSum.add(1 / sampleRate - 1);
      this.#squareSum.add(1 / sampleRate ** 2 - 1);
    }
    if (this.#sampleRates) this.#sampleRates[at] = sampleRate;
  }

  /** Only ever called before the ring has wrapped, so the order stays as it is. */
  #grow(): void {
    const capacity = Math.min(this.#verdicts.length * 2, LIMITS.windowSize);
    const verdicts = new Uint8Array(capacity);
    verdicts.set(this.#verdicts);
    this.#verdicts = verdicts;
    this.#latencyMs = grown(this.#latencyMs, capacity);
    this.#agentLatencyMs = grown(this.#agentLatencyMs, capacity);
    if (this.#sampleRates) this.#sampleRates = grown(this.#sampleRates, capacity);
  }
}

function grown(values: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(capacity);
  larger.set(values);
  return larger;
}

/** The rule of `checkEvaluation` without its paths and messages, for the hot path. */
export function isEvaluation(
  passed: unknown,
  latencyMs: number,
  agentLatencyMs: number | undefined,
  knownAs: KnownAs,
  sampleRate: number,
): boolean {
  return (
    typeof passed === 'boolean' &&
    isWithin(latencyMs, LATENCY_RANGE) &&
    (agentLatencyMs === undefined || isWithin(agentLatencyMs, LATENCY_RANGE)) &&
    KINDS.includes(knownAs) &&
    isWithin(sampleRate, SAMPLE_RATE_RANGE)
  );
}

function refuse(evaluation: Evaluation): void {
  const issues = new Issues();
  checkEvaluation(evaluation, 'evaluation', issues);
  issues.throwIfAny();
}

function checkLifetime(lifetimeEvaluations: number, given: number): void {
  const issues = new Issues();
  issues.whole(lifetimeEvaluations, 'lifetime_evaluations', { min: given, max: Number.MAX_SAFE_INTEGER });
  issues.throwIfAny();
}
