/** Checks over HTTP: of an agent against a minimum, or of a session, known to the ledger or given by its traces. */
import { z } from 'zod';
import { type Check, VERDICTS } from '../check.ts';
import { agentId, name, timeIn } from './fields.ts';
import { anyFields } from './parse.ts';
import { assurance } from './reputation.ts';
import { sessionMetricInput } from './session-metrics.ts';

/** The score must not have fallen by more than so much since then. */
export const DROP_SPAN_MS = 7 * 24 * 60 * 60_000;

const agentCheck = z.strictObject({
  agent_id: agentId,
  min: z.number().optional().meta({ minimum: 0, maximum: 1000, description: 'Read against the band' }),
  point: z.boolean().optional().meta({ description: 'Reads the bare score instead of the band' }),
  max_drop: z.number().optional().meta({ minimum: 0, maximum: 1000 }),
  since: timeIn.optional().meta({ description: 'From when a drop is counted; seven days ago when absent' }),
});

const sessionFields = {
  metric: z.enum(['agent_reliability', 'agent_consistency']),
  min: z.number().meta({ minimum: 0, maximum: 1 }),
  signal_weights: anyFields.nullish(),
};
const sessionCheck = z.strictObject({ session_id: name(), ...sessionFields });
const tracesCheck = z.strictObject({ traces: sessionMetricInput.shape.traces, ...sessionFields });

export const checkRequest = z
  .union([agentCheck, sessionCheck, tracesCheck], {
    error: 'must be { agent_id, min or max_drop } or { metric, min, session_id or traces }, and nothing else',
  })
  .meta({ example: { agent_id: 'support-bot', min: 700 } });
export type AgentCheckRequest = z.infer<typeof agentCheck>;
export type SessionCheckRequest = z.infer<typeof sessionCheck>;
export type TracesCheckRequest = z.infer<typeof tracesCheck>;

export const checkAnswer = z.object({
  verdict: z.enum(VERDICTS),
  reason: z.string(),
  further_evaluations: z.int().nullable().meta({
    description: 'How many more it would expect to need; null where it is decided, or never would be',
  }),
  score: z.number(),
  assurance: assurance.nullable().meta({ description: 'Of an agent; null for a session' }),
});

export function toCheckWire({ verdict, reason, furtherEvaluations }: Check) {
  return { verdict, reason, further_evaluations: furtherEvaluations };
}
