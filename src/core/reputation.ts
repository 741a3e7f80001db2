/**
 * Reputation: what an agent's last 500 counting evaluations make of it, an integer from 0 to 1000.
 *
 *   score = floor(pass_rate·400 + latency_score·250 + streak_score·200 + volume_score·150 + 1e-9)
 *   latency_score = max(0, 1 − avg_latency_ms/100)   streak_score = min(streak, 50)/50   volume_score = min(n, 500)/500
 *
 * The latency is that of the gates. How long the agent itself took is averaged beside it and never enters the score.
 * Which evaluations count, and in which order they arrived, is for the ledger to say: all that come here count.
 */
import { Issues } from './issues.ts';
import { LIMITS } from './limits.ts';
import { RunningSum } from './stats/running-sum.ts';

export interface Evaluation {
  passed: boolean;
  /** How long the gates took. */
  latencyMs: number;
  /** How long the agent took, where known. */
  agentLatencyMs?: number | undefined;
  /** How it is known; taken for merely reported where nobody says. */
  knownAs?: KnownAs | undefined;
  /** The share of evaluations that the sender sends at all, above 0 and at most 1; 1 where nobody says. */
  sampleRate?: number | undefined;
}

/** Who vouches for a verdict: our own gates, a signature over a report, or a report alone. From strong to weak. */
export const KINDS = ['server', 'signed', 'reported'] as const;
export type KnownAs = (typeof KINDS)[number];

export type Lifecycle = 'new' | 'calibrating' | 'active' | 'mature';

/** The points each component adds to the score, unrounded. */
export interface ReputationComponents {
  passRate: number;
  latency: number;
  streak: number;
  volume: number;
}

export interface Reputation {
  score: number;
  lifecycle: Lifecycle;
  /** Evaluations in the window. */
  evalCount: number;
  passed: number;
  passRate: number;
  avgLatencyMs: number;
  /** Null when no evaluation in the window tells it; 0, like every figure, when the window is empty. */
  avgAgentLatencyMs: number | null;
  /** Passes since the last failure, within the window. */
  streak: number;
  /** Evaluations that ever counted, those evicted included. */
  lifetimeEvaluations: number;
  components: ReputationComponents;
  /** How the evaluations in the window are known, by kind. */
  evidence: Record<KnownAs, number>;
  /** Each evaluation in the window stands for so many as its sampling says: both sums are `evalCount` without any. */
  sampledFrom: number;
  sampledFromSquares: number;
}

/** What the formula needs to know of a window. */
export interface WindowFigures {
  evalCount: number;
  passed: number;
  latencySumMs: number;
  agentLatencySumMs: number;
  agentLatencyCount: number;
  streak: number;
  lifetimeEvaluations: number;
  evidence: Record<KnownAs, number>;
  sampledFrom: number;
  sampledFromSquares: number;
}

export const SAMPLE_RATE_RANGE = { min: LIMITS.sampleRateMin, max: 1 };
export const LATENCY_RANGE = { min: 0, max: LIMITS.latencyMsMax };

/** A longer streak earns no more. */
export const FULL_STREAK = 50;
/** From here on an agent is active, and outsiders are shown its number. */
export const PUBLIC_FROM = 50;
const MATURE_FROM = 500;

/** Keeps a sum that is whole on paper from being floored one short. */
const FLOOR_GUARD = 1e-9;

export function computeReputation(figures: WindowFigures): Reputation {
  const { evalCount: n, passed, streak, lifetimeEvaluations } = figures;
  if (n === 0) return unknown(lifetimeEvaluations);
  const passRate = passed / n;
  const avgLatencyMs = figures.latencySumMs / n;
  const components = {
    passRate: passRate * 400,
    latency: Math.max(0, 1 - avgLatencyMs / 100) * 250,
    streak: (Math.min(streak, FULL_STREAK) / FULL_STREAK) * 200,
    volume: (Math.min(n, 500) / 500) * 150,
  };
  return {
    score: toScore(components),
    lifecycle: lifecycleOf(lifetimeEvaluations),
    evalCount: n,
    passed,
    passRate,
    avgLatencyMs,
    avgAgentLatencyMs:
      figures.agentLatencyCount === 0 ? null : figures.agentLatencySumMs / figures.agentLatencyCount,
    streak,
    lifetimeEvaluations,
    components,
    evidence: figures.evidence,
    sampledFrom: figures.sampledFrom,
    sampledFromSquares: figures.sampledFromSquares,
  };
}

/**
 * The reputation of an agent from the plain list of its counting evaluations, oldest first. `forgotten` counts those
 * that once counted and are in no list any more.
 */
export function reputationOf(evaluations: readonly Evaluation[], forgotten = 0): Reputation {
  checkEvaluations(evaluations);
  const window = evaluations.slice(-LIMITS.windowSize);
  const latencySum = new RunningSum();
  const agentLatencySum = new RunningSum();
  const [weights, squares] = [new RunningSum(), new RunningSum()];
  const evidence = { server: 0, signed: 0, reported: 0 };
  for (const { latencyMs, agentLatencyMs, knownAs = 'reported', sampleRate = 1 } of window) {
    latencySum.add(latencyMs);
    agentLatencySum.add(agentLatencyMs ?? 0);
    weights.add(1 / sampleRate - 1);
    squares.add(1 / sampleRate ** 2 - 1);
    evidence[knownAs]++;
  }
  return computeReputation({
    evalCount: window.length,
    passed: window.filter((evaluation) => evaluation.passed).length,
    latencySumMs: latencySum.value,
    agentLatencySumMs: agentLatencySum.value,
    agentLatencyCount: window.filter((evaluation) => evaluation.agentLatencyMs !== undefined).length,
    streak: window.length - 1 - window.findLastIndex((evaluation) => !evaluation.passed),
    lifetimeEvaluations: evaluations.length + forgotten,
    evidence,
    sampledFrom: window.length + weights.value,
    sampledFromSquares: window.length + squares.value,
  });
}

/** Refuses a list with any evaluation that cannot be, naming each. */
export function checkEvaluations(evaluations: readonly Evaluation[]): void {
  const issues = new Issues();
  evaluations.forEach((evaluation, i) => {
    checkEvaluation(evaluation, `evaluations[${i}]`, issues);
  });
  issues.throwIfAny();
}

/** Refuses what no evaluation can be; `path` says where it stands in the request. */
export function checkEvaluation(evaluation: Evaluation, path: string, issues: Issues): void {
  if (typeof evaluation.passed !== 'boolean') issues.add(`${path}.passed`, 'must be true or false');
  issues.number(evaluation.latencyMs, `${path}.latency_ms`, LATENCY_RANGE);
  if (evaluation.agentLatencyMs !== undefined) {
    issues.number(evaluation.agentLatencyMs, `${path}.agent_latency_ms`, LATENCY_RANGE);
  }
  if (evaluation.knownAs !== undefined && !KINDS.includes(evaluation.knownAs)) {
    issues.add(`${path}.known_as`, `must be ${KINDS.join(', ')}`);
  }
  if (evaluation.sampleRate !== undefined) {
    issues.number(evaluation.sampleRate, `${path}.sample_rate`, SAMPLE_RATE_RANGE);
  }
}

/** The points of all components as a whole score. */
export function toScore(components: ReputationComponents): number {
  return Math.floor(sumOfComponents(components) + FLOOR_GUARD);
}

export function sumOfComponents({ passRate, latency, streak, volume }: ReputationComponents): number {
  return passRate + latency + streak + volume;
}

function lifecycleOf(lifetimeEvaluations: number): Lifecycle {
  if (lifetimeEvaluations === 0) return 'new';
  if (lifetimeEvaluations < PUBLIC_FROM) return 'calibrating';
  return lifetimeEvaluations < MATURE_FROM ? 'active' : 'mature';
}

/** An empty window is 0: the formula would give 250 for its perfect latency. */
function unknown(lifetimeEvaluations: number): Reputation {
  return {
    score: 0,
    lifecycle: lifecycleOf(lifetimeEvaluations),
    evalCount: 0,
    passed: 0,
    passRate: 0,
    avgLatencyMs: 0,
    avgAgentLatencyMs: 0,
    streak: 0,
    lifetimeEvaluations,
    components: { passRate: 0, latency: 0, streak: 0, volume: 0 },
    evidence: { server: 0, signed: 0, reported: 0 },
    sampledFrom: 0,
    sampledFromSquares: 0,
  };
}
