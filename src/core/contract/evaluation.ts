/** Evaluations over HTTP: asking for one, reporting finished ones, and reading what the ledger holds. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { KINDS } from '../reputation.ts';
import {
  agentId,
  name,
  optionalName,
  pageOf,
  pageQuery,
  queryTime,
  sentence,
  tags,
  timeIn,
  timeOut,
} from './fields.ts';

const LATENCY = { minimum: 0, maximum: LIMITS.latencyMsMax };
const SAMPLE_RATE_FAULT = `must be at least ${LIMITS.sampleRateMin}, and at most 1`;
const latency = z
  .number()
  .refine(
    (value) => value >= 0 && value <= LIMITS.latencyMsMax,
    `must be a number from 0 to ${LIMITS.latencyMsMax}`,
  )
  .meta(LATENCY);
const outcome = z.enum(['passed', 'failed', 'skipped', 'aborted', 'timeout', 'error']);
const source = z.enum(['sdk', 'proxy', 'api']);
const direction = z.enum(['request', 'response']);

/** What the gates are to look at. The texts are looked at and dropped; there is no way to say how long gates took. */
export const evaluateRequest = z
  .strictObject({
    agent_id: agentId,
    output: z
      .unknown()
      .refine((value) => value !== undefined, 'is missing')
      .meta({ description: 'What the agent wrote: any JSON. Looked at by the gates, and never stored' }),
    input: z.unknown().optional().meta({ description: 'What it was given. Never stored' }),
    tool: optionalName(),
    latency_ms: z
      .number()
      .nullish()
      .meta({ ...LATENCY, description: 'How long the agent took; shown apart, and no part of the score' }),
    session_id: optionalName(),
    trace_id: optionalName(),
    evaluation_id: optionalName().meta({
      description: 'Yours, to make a retry safe. A known one answers as before',
    }),
    model: optionalName(),
    version: optionalName(),
    tags: tags.nullish(),
  })
  .meta({
    example: { agent_id: 'support-bot', output: 'Your parcel arrives on Tuesday.', tool: 'send_reply' },
  });
export type EvaluateRequest = z.infer<typeof evaluateRequest>;

const reputationSummary = z.object({
  score: z.int(),
  lifecycle: z.enum(['new', 'calibrating', 'active', 'mature']),
  eval_count: z.int(),
});

const gateVerdict = z.object({
  name: z.string(),
  outcome,
  passed: z.boolean(),
  latency_ms: z.number(),
  reason: z.string().optional(),
});

export const evaluateAnswer = z.object({
  evaluation_id: z.string(),
  passed: z.boolean(),
  gates: z.array(gateVerdict),
  total_latency_ms: z.number(),
  reputation: reputationSummary,
});

const gateIn = z.strictObject({
  name: name(),
  outcome,
  passed: z.boolean().optional(),
  latency_ms: latency,
  reason: sentence().nullish(),
  details: z.unknown().optional().meta({ description: 'Accepted as the engine has it, and dropped' }),
});

/** A finished evaluation in the shape of the engine's result, with what else is known of it. */
const ingestEvent = z.strictObject({
  evaluation_id: name(),
  agent_id: agentId,
  tool: optionalName(),
  passed: z.boolean(),
  gates: z.array(gateIn).max(LIMITS.gatesMax, `must be at most ${LIMITS.gatesMax} gates`),
  total_latency_ms: z.number().meta(LATENCY),
  timestamp: timeIn.optional(),
  latency_ms: z.number().nullish().meta(LATENCY),
  source: source.optional(),
  direction: direction.nullish(),
  suite_hash: optionalName(),
  sample_rate: z
    .number()
    .min(LIMITS.sampleRateMin, SAMPLE_RATE_FAULT)
    .max(1, SAMPLE_RATE_FAULT)
    .optional()
    .meta({ description: 'The share of evaluations that is sent at all; below 1 it widens the band' }),
  model: optionalName(),
  version: optionalName(),
  session_id: optionalName(),
  trace_id: optionalName(),
  tags: tags.nullish(),
});
export type IngestEvent = z.infer<typeof ingestEvent>;

export function batchOf<T extends z.ZodType>(event: T) {
  const fault = `must be 1 to ${LIMITS.batchMax} events`;
  return z.strictObject({ events: z.array(event).min(1, fault).max(LIMITS.batchMax, fault) });
}

export const ingestRequest = batchOf(ingestEvent).meta({
  example: {
    events: [
      {
        evaluation_id: 'example-1',
        agent_id: 'support-bot',
        passed: true,
        gates: [{ name: 'content', outcome: 'passed', latency_ms: 0.02 }],
        total_latency_ms: 0.05,
      },
    ],
  },
});

export const ingestAnswer = z.object({
  accepted: z.int(),
  duplicates: z.array(z.string()),
  reputations: z.record(z.string(), reputationSummary),
});

export const storedEvaluation = z.object({
  evaluation_id: z.string(),
  agent_id: z.string(),
  tool: z.string().nullable(),
  passed: z.boolean(),
  counts: z.boolean(),
  gates: z.array(gateVerdict),
  total_latency_ms: z.number(),
  latency_ms: z.number().nullable(),
  source,
  known_as: z.enum(KINDS),
  direction: direction.nullable(),
  suite_hash: z.string().nullable(),
  sample_rate: z.number(),
  model: z.string().nullable(),
  version: z.string().nullable(),
  session_id: z.string().nullable(),
  trace_id: z.string().nullable(),
  tags: z.array(z.string()),
  received_at: timeOut,
  occurred_at: timeOut,
  voided: z.object({ at: timeOut, reason: z.string() }).nullable(),
});

export const evaluationPage = pageOf(storedEvaluation);

export const evaluationQuery = z.strictObject({
  ...pageQuery,
  agent_id: agentId.optional(),
  tool: name().optional(),
  gate: name().optional(),
  verdict: z.enum(['passed', 'failed']).optional(),
  source: source.optional(),
  session_id: name().optional(),
  from: queryTime.optional(),
  to: queryTime.optional(),
});

export const voidRequest = z
  .strictObject({
    reason: name(LIMITS.reasonLengthMax).refine((text) => text.trim() !== '', 'must not be blank'),
  })
  .meta({ example: { reason: 'The gate was misconfigured that day.' } });
