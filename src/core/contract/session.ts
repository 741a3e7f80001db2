/** One session over HTTP: how it was judged, and how its traces were scored. */
import { z } from 'zod';
import { name, timeIn, timeOut } from './fields.ts';
import { quadrant, scoreBrief } from './session-score.ts';

const tenths = z.number().meta({ minimum: 0, maximum: 10 });
const recommendation = z.enum(['keep', 'review', 'doff']);

const baseline = z.union([
  z.string().meta({ description: 'Why there is nothing to compare with' }),
  z.object({
    kind_of_work: z.string(),
    sessions: z.int(),
    median: z.number(),
    difference: z.number(),
    low: z.number(),
    high: z.number(),
  }),
]);

/** As `toVerdictWire` makes it. */
const verdict = z.object({
  masque: z.string(),
  duration_min: z.number(),
  dimensions: z.object({
    quality: tenths,
    autonomy: tenths,
    productivity: tenths,
    token_efficiency: tenths,
    cost_efficiency: tenths,
  }),
  composite: tenths,
  recommendation,
  stats: z.record(z.string(), z.number()),
  missing_inputs: z.array(z.string()),
  signals: z.record(z.string(), z.unknown()),
  tool_mix: z.record(z.string(), z.object({ calls: z.int(), ok: z.int() })),
  baseline,
  affected_dimensions: z.array(z.string()),
  cost: z.record(z.string(), z.unknown()),
  outcomes: z.record(z.string(), z.number()),
  session: z.object({
    session_id: z.string(),
    agent_id: z.string(),
    kind_of_work: z.string(),
    entrypoint: z.string().nullable(),
    dialects: z.array(z.string()),
    donned_at: z.string().nullable(),
    doffed_at: z.string().nullable(),
    ended: z.boolean(),
  }),
});

export const sessionAnswer = z.object({
  session_id: z.string(),
  agent_id: z.string().nullable(),
  tags: z.array(z.string()),
  last_at: timeOut,
  state: z.enum(['open', 'judged', 'unknown']).meta({
    description: 'Of its telemetry: open while more may come, unknown where there was none',
  }),
  judged_at: timeOut.nullable().meta({ description: 'When the verdict was last written down' }),
  verdicts: z.array(verdict).meta({ description: 'As of now; one for each masque that was worn' }),
  traces: z.int(),
  quadrant,
  agent_reliability: scoreBrief,
  agent_consistency: scoreBrief,
});
export type SessionAnswer = z.infer<typeof sessionAnswer>;

export const toolResultsAnswer = z.object({
  session_id: z.string(),
  total: z.int(),
  items: z
    .array(z.object({ at: timeOut, tool: z.string(), ok: z.boolean(), duration_ms: z.number().nullable() }))
    .meta({ description: 'In order; the last so many, where there are more' }),
});

const worn = z.strictObject({ name: name(), donned_at: timeIn.nullish() });
const doffed = z.strictObject({ name: name(), doffed_at: timeIn.nullish() });

export const judgeRequest = z
  .strictObject({
    masque: name().optional().meta({ description: 'The masque that was worn' }),
    from: timeIn.optional().meta({ description: 'Only from this time on' }),
    to: timeIn.optional().meta({ description: 'Only up to this time' }),
    masque_session: z
      .strictObject({ active: worn.optional(), previous: doffed.optional() })
      .optional()
      .meta({ description: 'Who wore what when, as .claude/masque.session.yaml has it' }),
  })
  .meta({ example: {} });
export type JudgeQuestion = z.infer<typeof judgeRequest>;
