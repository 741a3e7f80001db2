/** Scores of sessions over HTTP, and what they come to over time. */
import { z } from 'zod';
import { QUADRANTS } from '../quadrant.ts';
import { agentId, name, pageOf, pageQuery, queryTime, timeOut } from './fields.ts';
import { sessionMetric } from './session-run.ts';

const evidence = z.enum(['none', 'partial', 'full']);
export const quadrant = z
  .enum(QUADRANTS)
  .nullable()
  .meta({ description: 'Null without evidence for both metrics' });
const perSignal = z.record(z.string(), z.number());

const sessionScore = z.object({
  run_id: z.string(),
  session_id: z.string(),
  metric: sessionMetric,
  agent_id: z.string().nullable(),
  tags: z.array(z.string()),
  score: z.number().meta({ minimum: 0, maximum: 1, description: 'Unrounded; shown with four decimals' }),
  threshold: z.number(),
  passed: z.boolean().nullable().meta({ description: 'Null without evidence, which is never a pass' }),
  band: z.string().nullable(),
  reason: z.string(),
  evidence,
  coverage: z.number(),
  total_traces: z.int(),
  traces_evaluated: z.int(),
  flagged_traces: z.int(),
  signal_counts: perSignal,
  signal_weights: perSignal,
  session_at: timeOut,
  computed_at: timeOut,
  metadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .optional()
    .meta({ description: 'How each trace came out. Null when the traces it was made from are gone' }),
});

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const filters = {
  agent_id: agentId.optional(),
  metric: sessionMetric.optional(),
  run_id: name().optional(),
  tag: name().optional(),
  passed: flag.optional(),
  evidence: evidence.optional(),
  from: queryTime.optional().meta({ description: 'Sessions whose last trace began at or after' }),
  to: queryTime.optional().meta({ description: 'Sessions whose last trace began before' }),
};

export const scorePage = pageOf(sessionScore);
export const scoreQuery = z.strictObject({ ...pageQuery, session_id: name().optional(), ...filters });
export type ScoreQuery = z.infer<typeof scoreQuery>;
export const runScoreQuery = z.strictObject({
  ...pageQuery,
  metric: sessionMetric.optional(),
  passed: flag.optional(),
  metadata: flag.optional().meta({ description: 'With how each trace came out' }),
});

export const sessionScores = z.object({
  session_id: z.string(),
  agent_id: z.string().nullable(),
  quadrant,
  scores: z.array(sessionScore),
});

export type SessionScoresAnswer = z.infer<typeof sessionScores>;

export const aggregateQuery = z.strictObject(filters);
export type AggregateQuery = z.infer<typeof aggregateQuery>;
export const trendQuery = z.strictObject({
  ...filters,
  step: z.enum(['1h', '6h', '1d', '7d']).optional().meta({ description: 'One day, when absent' }),
});

export const scoreFigures = z.object({
  metric: sessionMetric,
  sessions: z.int().meta({ description: 'With evidence; the figures are about these' }),
  without_evidence: z.int(),
  passed: z.int(),
  failed: z.int(),
  pass_rate: z.number().nullable(),
  mean: z.number().nullable(),
  worst: z.number().nullable(),
});

export const scoreSummary = z.object({ metrics: z.array(scoreFigures) });
export const scoreTrend = z.object({ points: z.array(scoreFigures.extend({ at: timeOut })) });
export const scoreDistribution = z.object({
  metrics: z.array(
    z.object({
      metric: sessionMetric,
      sessions: z.int(),
      without_evidence: z.int(),
      bins: z.array(z.object({ from: z.number(), to: z.number(), sessions: z.int() })),
    }),
  ),
});

export const scoreBrief = sessionScore
  .pick({
    score: true,
    threshold: true,
    passed: true,
    band: true,
    evidence: true,
    coverage: true,
    flagged_traces: true,
  })
  .nullable();

/** How a session was judged, in a list. */
export const performanceBrief = z.object({
  composite: z.number(),
  recommendation: z.enum(['keep', 'review', 'doff']),
  masque: z.string(),
  kind_of_work: z.string(),
  tools: z.int(),
  judged_at: timeOut,
});

export const sessionPage = pageOf(
  z.object({
    session_id: z.string(),
    agent_id: z.string().nullable(),
    tags: z.array(z.string()),
    last_at: timeOut,
    traces: z.int(),
    quadrant,
    agent_reliability: scoreBrief,
    agent_consistency: scoreBrief,
    performance: performanceBrief.nullable().meta({ description: 'Null until it was judged' }),
  }),
);
export const sessionQuery = z.strictObject({ ...pageQuery, ...filters });

export const metricList = z.object({
  items: z.array(
    z.object({
      name: sessionMetric,
      method: z.string(),
      range: z.tuple([z.number(), z.number()]),
      threshold: z.number(),
      zero_means: z.string(),
      one_means: z.string(),
      bands: z.array(z.object({ from: z.number(), text: z.string() })),
      signal_weights: perSignal,
    }),
  ),
});
