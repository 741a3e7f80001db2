/**
 * What moved a score between two moments: every evaluation that came into the window and every one that fell out of it, in
 * order of arrival, with the points that each component gained or lost by it.
 *
 * The contributions add up to the difference of the two scores with one `rounding` term, exactly and in any order: each is
 * a multiple of 2^-20 points, so that doubles add them without error. `rounding` is what flooring both scores took.
 */
import { LIMITS } from './limits.ts';
import { computeReputation, type Evaluation, type ReputationComponents } from './reputation.ts';
import { RunningSum } from './stats/running-sum.ts';

export interface NamedEvaluation extends Evaluation {
  evaluationId: string;
}

interface Contribution {
  evaluationId: string;
  /** One that came in; or one that the one after it pushed out. */
  change: 'pushed' | 'evicted';
  passed: boolean;
  components: ReputationComponents;
  points: number;
}

export interface ReputationChanges {
  before: number;
  after: number;
  difference: number;
  contributions: Contribution[];
  /** All contributions together, by component. */
  components: ReputationComponents;
  rounding: number;
}

const GRAIN = 2 ** 20;

/** `window` is what was in it at the first moment and `arrived` what has come since, both oldest first. */
export function explainChanges(
  window: readonly NamedEvaluation[],
  arrived: readonly NamedEvaluation[],
): ReputationChanges {
  const replay = new Replay(window.slice(-LIMITS.windowSize));
  const before = replay.score();
  const contributions: Contribution[] = [];
  for (const evaluation of arrived) {
    if (replay.isFull()) contributions.push(replay.evict());
    contributions.push(replay.push(evaluation));
  }
  const after = replay.score();
  const total = (of: (one: Contribution) => number) => contributions.reduce((sum, one) => sum + of(one), 0);
  const difference = after - before;
  return {
    before,
    after,
    difference,
    contributions,
    components: mapComponents((name) => total(({ components }) => components[name])),
    rounding: difference - total(({ points }) => points),
  };
}

/** A window that takes one step at a time and knows what each did to the points. */
class Replay {
  readonly #window: NamedEvaluation[] = [];
  readonly #latencySum = new RunningSum();
  #passed = 0;
  #streak = 0;
  #points: ReputationComponents;

  constructor(window: readonly NamedEvaluation[]) {
    for (const evaluation of window) this.#add(evaluation);
    this.#points = this.#grains();
  }

  isFull(): boolean {
    return this.#window.length === LIMITS.windowSize;
  }

  score(): number {
    return this.#reputation().score;
  }

  push(evaluation: NamedEvaluation): Contribution {
    this.#add(evaluation);
    return this.#step(evaluation, 'pushed');
  }

  evict(): Contribution {
    const oldest = this.#window.shift() as NamedEvaluation;
    this.#latencySum.subtract(oldest.latencyMs);
    if (oldest.passed) this.#passed--;
    this.#streak = Math.min(this.#streak, this.#window.length);
    return this.#step(oldest, 'evicted');
  }

  #add(evaluation: NamedEvaluation): void {
    this.#window.push(evaluation);
    this.#latencySum.add(evaluation.latencyMs);
    if (evaluation.passed) this.#passed++;
    this.#streak = evaluation.passed ? this.#streak + 1 : 0;
  }

  #step({ evaluationId, passed }: NamedEvaluation, change: Contribution['change']): Contribution {
    const [earlier, later] = [this.#points, this.#grains()];
    this.#points = later;
    const components = mapComponents((name) => later[name] - earlier[name]);
    const { passRate, latency, streak, volume } = components;
    return { evaluationId, change, passed, components, points: passRate + latency + streak + volume };
  }

  /** The points of the components, to the grain that adds without error. */
  #grains(): ReputationComponents {
    const { components } = this.#reputation();
    return mapComponents((name) => Math.round(components[name] * GRAIN) / GRAIN);
  }

  #reputation() {
    return computeReputation({
      evalCount: this.#window.length,
      passed: this.#passed,
      latencySumMs: this.#latencySum.value,
      agentLatencySumMs: 0,
      agentLatencyCount: 0,
      streak: this.#streak,
      lifetimeEvaluations: this.#window.length,
      evidence: { server: 0, signed: 0, reported: 0 },
      sampledFrom: this.#window.length,
      sampledFromSquares: this.#window.length,
    });
  }
}

function mapComponents(of: (name: keyof ReputationComponents) => number): ReputationComponents {
  return { passRate: of('passRate'), latency: of('latency'), streak: of('streak'), volume: of('volume') };
}
