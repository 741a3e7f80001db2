import { z } from 'zod';
import type { Evaluation, Reputation } from '../reputation.ts';
import type { Outlook, ReputationExplanation } from '../reputation-explain.ts';
import { annotations } from './annotations.ts';

const pair = z.tuple([z.boolean(), z.number()]);
const record = z.object({
  passed: z.boolean(),
  latency_ms: z.number(),
  agent_latency_ms: z.number().nullish(),
});

/** Counting evaluations, oldest first; `latency_ms` is that of the gates. */
export const reputationInput = z.strictObject({
  ...annotations,
  evaluations: z.array(
    z.union([pair, record], { error: 'expected [passed, latency_ms] or { passed, latency_ms }' }),
  ),
});

export function toEvaluations({ evaluations }: z.infer<typeof reputationInput>): Evaluation[] {
  return evaluations.map((evaluation) =>
    Array.isArray(evaluation)
      ? { passed: evaluation[0], latencyMs: evaluation[1] }
      : {
          passed: evaluation.passed,
          latencyMs: evaluation.latency_ms,
          agentLatencyMs: evaluation.agent_latency_ms ?? undefined,
        },
  );
}

/** Both vocabularies that clients know: `status` is `lifecycle`, `evaluations` is `eval_count`. */
export function toReputationWire(reputation: Reputation, windowSize: number) {
  return {
    score: reputation.score,
    lifecycle: reputation.lifecycle,
    status: reputation.lifecycle,
    eval_count: reputation.evalCount,
    evaluations: reputation.evalCount,
    passed: reputation.passed,
    pass_rate: reputation.passRate,
    avg_latency_ms: reputation.avgLatencyMs,
    avg_agent_latency_ms: reputation.avgAgentLatencyMs,
    streak: reputation.streak,
    window_size: windowSize,
    lifetime_evaluations: reputation.lifetimeEvaluations,
    components: toComponentsWire(reputation.components),
  };
}

export function toExplanationWire(explanation: ReputationExplanation) {
  return {
    components: toComponentsWire(explanation.components),
    rounding: explanation.rounding,
    next_pass: toOutlookWire(explanation.nextPass),
    next_failure: toOutlookWire(explanation.nextFailure),
    full_streak: { passes: explanation.fullStreak.passes, ...toOutlookWire(explanation.fullStreak) },
  };
}

function toComponentsWire({ passRate, latency, streak, volume }: Reputation['components']) {
  return { pass_rate: passRate, latency, streak, volume };
}

function toOutlookWire({ score, change }: Outlook) {
  return { score, change };
}
