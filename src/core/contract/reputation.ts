import { z } from 'zod';
import { ASSURANCE_METHODS, type Assurance, assuranceOf } from '../assurance.ts';
import { Issues } from '../issues.ts';
import { LIMITS } from '../limits.ts';
import type { Evaluation, Reputation } from '../reputation.ts';
import type { Outlook, ReputationExplanation } from '../reputation-explain.ts';
import { annotations } from './annotations.ts';
import { queryTime, timeOut } from './fields.ts';

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
    evidence: reputation.evidence,
    assurance: toAssuranceWire(assuranceOf(reputation)),
  };
}

export function toAssuranceWire(assurance: Assurance) {
  return {
    pass_rate_low: assurance.passRateLow,
    pass_rate_high: assurance.passRateHigh,
    score_low: assurance.scoreLow,
    score_high: assurance.scoreHigh,
    n_eff: assurance.nEff,
    certainty: assurance.certainty,
    method: assurance.method,
  };
}

/** The few figures that go with other answers. */
export function toReputationSummary({ score, lifecycle, evalCount }: Reputation) {
  return { score, lifecycle, eval_count: evalCount };
}

const lifecycle = z.enum(['new', 'calibrating', 'active', 'mature']);

const share = z.number().meta({ minimum: 0, maximum: 1 });
const points = z.int().meta({ minimum: 0, maximum: 1000 });

/** How sure the score is. */
export const assurance = z.object({
  pass_rate_low: share.meta({ description: 'The lower edge of the 95 % band of the pass rate' }),
  pass_rate_high: share,
  score_low: points.meta({
    description: 'The score at the lower edge, with the other components as they are',
  }),
  score_high: points,
  n_eff: z.number().meta({ description: 'How many evaluations those in the window are worth' }),
  certainty: share,
  method: z.enum(ASSURANCE_METHODS),
});

/** How the evaluations of the window are known. */
export const evidence = z.object({
  server: z.int().meta({ description: 'Judged by gates of this server' }),
  signed: z.int().meta({ description: 'Reported under a signature of the org' }),
  reported: z.int().meta({ description: 'Reported without one' }),
});

const figures = z.object({
  score: z.int().meta({ minimum: 0, maximum: 1000 }),
  lifecycle,
  status: lifecycle.meta({ description: 'The same as `lifecycle`' }),
  eval_count: z.int(),
  evaluations: z.int().meta({ description: 'The same as `eval_count`' }),
  passed: z.int(),
  pass_rate: z.number(),
  avg_latency_ms: z.number().meta({ description: 'Of the gates; part of the score' }),
  avg_agent_latency_ms: z.number().nullable().meta({ description: 'Of the agent; no part of the score' }),
  streak: z.int(),
  window_size: z.int(),
  lifetime_evaluations: z.int(),
  components: z.object({
    pass_rate: z.number(),
    latency: z.number(),
    streak: z.number(),
    volume: z.number(),
  }),
  evidence,
  assurance,
});

export const reputationAnswer = figures.extend({
  agent_id: z.string(),
  updated_at: timeOut
    .nullable()
    .meta({ description: 'When the last evaluation arrived that this node knows of; null for none' }),
});

const STEP_FAULT = 'must be a number of minutes, hours or days, as 15m, 1h or 1d';

export const historyQuery = z.strictObject({
  from: queryTime.optional().meta({ description: 'Thirty days before `to`, when absent' }),
  to: queryTime.optional().meta({ description: 'Now, when absent' }),
  step: z
    .string()
    .regex(/^[1-9]\d{0,4}[mhd]$/, STEP_FAULT)
    .optional()
    .meta({ examples: ['1d'], description: 'One day, when absent' }),
});

export const historyAnswer = z.object({
  agent_id: z.string(),
  points: z.array(
    figures
      .pick({ score: true, lifecycle: true, eval_count: true, pass_rate: true, streak: true })
      .extend({ at: timeOut, assurance }),
  ),
});

export function toExplanationWire(explanation: ReputationExplanation) {
  return {
    components: toComponentsWire(explanation.components),
    rounding: explanation.rounding,
    next_pass: toOutlookWire(explanation.nextPass),
    next_failure: toOutlookWire(explanation.nextFailure),
    full_streak: { passes: explanation.fullStreak.passes, ...toOutlookWire(explanation.fullStreak) },
  };
}

export function toComponentsWire({ passRate, latency, streak, volume }: Reputation['components']) {
  return { pass_rate: passRate, latency, streak, volume };
}

function toOutlookWire({ score, change }: Outlook) {
  return { score, change };
}
