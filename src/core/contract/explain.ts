/** What moved a score, and how two parts of a record compare, over HTTP. */
import { z } from 'zod';
import type { ReputationChanges } from '../reputation-changes.ts';
import { queryTime, timeOut } from './fields.ts';
import { toComponentsWire } from './reputation.ts';

export const explainQuery = z.strictObject({
  since: queryTime.optional().meta({ description: 'A day before `until`, when absent' }),
  until: queryTime.optional().meta({ description: 'Now, when absent' }),
});

const components = z.object({
  pass_rate: z.number(),
  latency: z.number(),
  streak: z.number(),
  volume: z.number(),
});

export const explainAnswer = z.object({
  agent_id: z.string(),
  since: timeOut,
  until: timeOut,
  before: z.int(),
  after: z.int(),
  difference: z.int().meta({ description: 'All `points` and `rounding`, added up exactly' }),
  components: components.meta({ description: 'The contributions by component' }),
  rounding: z.number().meta({ description: 'What rounding both scores down to whole numbers took' }),
  contributions: z.array(
    z.object({
      evaluation_id: z.string(),
      change: z.enum(['pushed', 'evicted']),
      passed: z.boolean(),
      components,
      points: z.number(),
    }),
  ),
});

export function toChangesWire(changes: ReputationChanges) {
  return {
    before: changes.before,
    after: changes.after,
    difference: changes.difference,
    components: toComponentsWire(changes.components),
    rounding: changes.rounding,
    contributions: changes.contributions.map(
      ({ evaluationId, change, passed, points, components: parts }) => ({
        evaluation_id: evaluationId,
        change,
        passed,
        components: toComponentsWire(parts),
        points,
      }),
    ),
  };
}

export const COMPARED_BY = ['version', 'model', 'suite'] as const;

export const compareQuery = z.strictObject({
  by: z.enum(COMPARED_BY).optional().meta({ description: 'By version, when absent' }),
  before: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The earlier one; the last but one when absent' }),
  after: z.string().min(1).max(200).optional().meta({ description: 'The later one; the last when absent' }),
});

const side = z.object({
  value: z.string(),
  evaluations: z.int(),
  passed: z.int(),
  pass_rate: z.number(),
  pass_rate_low: z.number(),
  pass_rate_high: z.number(),
  avg_latency_ms: z.number(),
  first_at: timeOut,
  last_at: timeOut,
});

export const compareAnswer = z.object({
  agent_id: z.string(),
  by: z.enum(COMPARED_BY),
  before: side.nullable(),
  after: side.nullable(),
  difference: z
    .object({ pass_rate: z.number(), low: z.number(), high: z.number() })
    .nullable()
    .meta({ description: 'after − before, with a 95 % interval for one look; null with fewer than two' }),
  values: z.array(z.string()).meta({ description: 'All there are, in order of their first arrival' }),
});

export const changesAnswer = z.object({
  agent_id: z.string(),
  baseline_pass_rate: z
    .number()
    .nullable()
    .meta({ description: 'What the detector holds it to; null: not known yet' }),
  change: z
    .object({
      detected_at: timeOut,
      since: timeOut.meta({ description: 'When the worse stretch began, by the best guess' }),
      evaluations_since: z
        .int()
        .meta({ description: 'How many evaluations the worse stretch had when it was last noticed' }),
      rate_since: z.number(),
      e_value: z
        .number()
        .meta({ description: 'How many times likelier under a change; an alarm is at 20,000' }),
    })
    .nullable(),
  marks: z.array(
    z.object({
      at: timeOut,
      kind: z.enum(['model', 'version', 'suite', 'change_detected']),
      value: z.string(),
    }),
  ),
});
