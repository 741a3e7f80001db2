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
  LATENCY_RANGE,
  type Reputation,
} from './reputation.ts';
import { RunningSum } from './stats/running-sum.ts';

const CAPACITY_FIRST = 16;

export class ReputationWindow {
  // A ring: the oldest evaluation stands at #next once the window is full, and at 0 before.
  #passed = new Uint8Array(CAPACITY_FIRST);
  #latencyMs = new Float64Array(CAPACITY_FIRST);
  /** NaN where the agent's own latency is not known. */
  #agentLatencyMs = new Float64Array(CAPACITY_FIRST);
  #next = 0;
  #count = 0;
  #lifetime = 0;

  #passes = 0;
  #streak = 0;
  #agentLatencyCount = 0;
  readonly #latencySum = new RunningSum();
  readonly #agentLatencySum = new RunningSum();

  /** `lifetimeEvaluations` where more were counted than are given: they have left the window long ago. */
  static from(evaluations: readonly Evaluation[], lifetimeEvaluations?: number): ReputationWindow {
    checkEvaluations(evaluations);
    checkLifetime(lifetimeEvaluations ?? evaluations.length, evaluations.length);
    const window = new ReputationWindow();
    for (const evaluation of evaluations) {
      window.push(evaluation.passed, evaluation.latencyMs, evaluation.agentLatencyMs);
    }
    window.#lifetime = lifetimeEvaluations ?? window.#lifetime;
    return window;
  }

  /** Takes positional arguments because an object for each evaluation would be the one allocation of the hot path. */
  push(passed: boolean, latencyMs: number, agentLatencyMs?: number): void {
    if (!isEvaluation(passed, latencyMs, agentLatencyMs)) refuse({ passed, latencyMs, agentLatencyMs });
    if (this.#count === LIMITS.windowSize) this.#forgetOldest();
    else if (this.#count === this.#passed.length) this.#grow();

    const at = this.#next;
    this.#passed[at] = passed ? 1 : 0;
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
    });
  }

  /** The evaluations in the window, oldest first. */
  *evaluations(): Generator<Evaluation> {
    const oldest = this.#count === LIMITS.windowSize ? this.#next : 0;
    for (let i = 0; i < this.#count; i++) {
      const at = (oldest + i) % LIMITS.windowSize;
      const agentLatencyMs = this.#agentLatencyMs[at] as number;
      yield {
        passed: this.#passed[at] === 1,
        latencyMs: this.#latencyMs[at] as number,
        agentLatencyMs: Number.isNaN(agentLatencyMs) ? undefined : agentLatencyMs,
      };
    }
  }

  copy(): ReputationWindow {
    return ReputationWindow.from([...this.evaluations()], this.#lifetime);
  }

  #forgetOldest(): void {
    const at = this.#next;
    this.#count--;
    this.#passes -= this.#passed[at] as number;
    this.#latencySum.subtract(this.#latencyMs[at] as number);
    const agentLatencyMs = this.#agentLatencyMs[at] as number;
    if (!Number.isNaN(agentLatencyMs)) {
      this.#agentLatencyCount--;
      this.#agentLatencySum.subtract(agentLatencyMs);
    }
  }

  /** Only ever called before the ring has wrapped, so the order stays as it is. */
  #grow(): void {
    const capacity = Math.min(this.#passed.length * 2, LIMITS.windowSize);
    const passed = new Uint8Array(capacity);
    const latencyMs = new Float64Array(capacity);
    const agentLatencyMs = new Float64Array(capacity);
    passed.set(this.#passed);
    latencyMs.set(this.#latencyMs);
    agentLatencyMs.set(this.#agentLatencyMs);
    this.#passed = passed;
    this.#latencyMs = latencyMs;
    this.#agentLatencyMs = agentLatencyMs;
  }
}

/** The rule of `checkEvaluation` without its paths and messages, for the hot path. */
export function isEvaluation(
  passed: unknown,
  latencyMs: number,
  agentLatencyMs: number | undefined,
): boolean {
  return (
    typeof passed === 'boolean' &&
    isWithin(latencyMs, LATENCY_RANGE) &&
    (agentLatencyMs === undefined || isWithin(agentLatencyMs, LATENCY_RANGE))
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
