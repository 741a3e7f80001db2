import { z } from 'zod';
import { Issues } from '../issues.ts';
import { LIMITS } from '../limits.ts';
import type { Evaluation, Reputation } from '../reputation.ts';
import type { Outlook, ReputationExplanation } from '../reputation-explain.ts';
import { annotations } from './annotations.ts';

/** Counting evaluations, oldest first; `latency_ms` is that of the gates. */
export const reputationInput = z.strictObject({ ...annotations, evaluations: z.array(z.unknown()) });

const evaluationRecord = z.strictObject({
  passed: z.unknown(),
  latency_ms: z.unknown(),
  agent_latency_ms: z.unknown().optional(),
});

/** `[passed, latency_ms]` or a record of both. The values are checked by the score, which knows their ranges. */
export function toEvaluations({ evaluations }: z.infer<typeof reputationInput>): Evaluation[] {
  const issues = new Issues();
  const converted = evaluations.map((evaluation, i) => {
    if (Array.isArray(evaluation) && evaluation.length === 2)
      return { passed: evaluation[0], latencyMs: evaluation[1] };
    const record = evaluationRecord.safeParse(evaluation);
    if (!record.success) {
      issues.add(
        `evaluations[${i}]`,
        'must be [passed, latency_ms] or { passed, latency_ms, agent_latency_ms? }',
      );
      return { passed: false, latencyMs: 0 };
    }
    const { passed, latency_ms: latencyMs, agent_latency_ms: agentLatencyMs } = record.data;
    return { passed, latencyMs, agentLatencyMs: agentLatencyMs ?? undefined };
  });
  issues.throwIfAny();
  return converted as Evaluation[];
}

/** Both vocabularies that clients know: `status` is `lifecycle`, `evaluations` is `eval_count`. */
export function toReputationWire(reputation: Reputation) {
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
    window_size: LIMITS.windowSize,
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
