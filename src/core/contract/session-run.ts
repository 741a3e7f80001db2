/** Runs and monitors of session metrics over HTTP. Weights and thresholds are checked by the metrics themselves. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { SESSION_METRICS } from '../session-metric.ts';
import { agentId, name, pageOf, pageQuery, tags, timeIn, timeOut } from './fields.ts';
import { anyFields } from './parse.ts';

export const sessionMetric = z.enum(SESSION_METRICS);

const IDS_FAULT = `must be 1 to ${LIMITS.runSessionIdsMax} ids`;
const RATE_FAULT = 'must be above 0, and at most 1';

const sessionFilter = z.strictObject({
  from: timeIn.optional().meta({ description: 'Sessions whose last trace began at or after' }),
  to: timeIn.optional().meta({ description: 'Sessions whose last trace began before' }),
  within_hours: z
    .number()
    .gt(0, 'must be above 0')
    .max(87_600, 'must be at most 87600')
    .optional()
    .meta({ description: 'Sessions of the last so many hours, counted back from the run; for monitors' }),
  agent_id: agentId.optional(),
  tags: tags.optional().meta({ description: 'Sessions that carry all of these' }),
  has_errors: z
    .boolean()
    .optional()
    .meta({ description: 'Whether a tool call went wrong, or an evaluation of the session did not pass' }),
  min_traces: z.int().min(1).max(1_000_000).optional(),
});

/** What a run covers, and how. */
const plan = {
  session_ids: z
    .array(name())
    .min(1, IDS_FAULT)
    .max(LIMITS.runSessionIdsMax, IDS_FAULT)
    .optional()
    .meta({ description: 'These sessions; or else those of `filter`, which may be empty for all' }),
  filter: sessionFilter.optional(),
  metrics: z
    .array(sessionMetric)
    .min(1, 'must name at least one metric')
    .optional()
    .meta({ description: 'Both, when absent' }),
  signal_weights: anyFields.nullish().meta({ description: 'In place of 1, 1, 0.8, 1; from 0 to 100 each' }),
  thresholds: z
    .strictObject({ agent_reliability: z.number().optional(), agent_consistency: z.number().optional() })
    .optional()
    .meta({ description: '0.5 unless given' }),
  sampling: z
    .strictObject({
      rate: z.number().gt(0, RATE_FAULT).max(1, RATE_FAULT),
      seed: z.int().min(0).max(4_294_967_295).optional(),
    })
    .nullish()
    .meta({ description: 'The same seed picks the same sessions; all of them when absent or null' }),
  only_if_changed: z.boolean().optional().meta({
    description: 'Leaves a session alone whose traces have not changed since it was last scored this way',
  }),
};

export const runRequest = z
  .strictObject({
    ...plan,
    dry_run: z.boolean().optional().meta({ description: 'Says what it would cover, and does nothing' }),
  })
  .meta({ example: { session_ids: ['session-1'], thresholds: { agent_reliability: 0.6 } } });
export type RunRequest = z.infer<typeof runRequest>;

const planAnswer = z.object({
  session_ids: z.array(z.string()).nullable(),
  filter: z.record(z.string(), z.unknown()).nullable(),
  metrics: z.array(sessionMetric),
  signal_weights: z.record(z.string(), z.number()),
  thresholds: z.record(z.string(), z.number()),
  sampling: z.object({ rate: z.number(), seed: z.int() }).nullable(),
  only_if_changed: z.boolean(),
});

const runState = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']);

export const runAnswer = z.object({
  run_id: z.string(),
  state: runState,
  monitor_id: z.string().nullable(),
  tick: timeOut
    .nullable()
    .meta({ description: 'Which moment of the monitor this is; null when it was asked for' }),
  plan: planAnswer,
  progress: z.object({
    selected: z.int().nullable().meta({ description: 'Null until the sessions were chosen' }),
    evaluated: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    traces: z.int(),
  }),
  failures: z.array(z.object({ session_id: z.string(), code: z.string() })),
  error: z.string().nullable(),
  created_at: timeOut,
  started_at: timeOut.nullable(),
  finished_at: timeOut.nullable(),
});

export type RunAnswer = z.infer<typeof runAnswer>;

export const dryRunAnswer = z.object({
  dry_run: z.literal(true),
  plan: planAnswer,
  sessions: z.int(),
  traces: z.int(),
  matching: z.int().meta({ description: 'Sessions before sampling' }),
});

export const runPage = pageOf(runAnswer);
export const runQuery = z.strictObject({ ...pageQuery, state: runState.optional() });

const CADENCE_FAULT =
  'must be every_6h, daily, weekly, or cron: and five fields in UTC as in cron:30 4 1 * *';
const cadence = z
  .string()
  .max(LIMITS.cadenceLengthMax, CADENCE_FAULT)
  .meta({ examples: ['daily', 'cron:30 4 * * 1-5'] });

export const monitorRequest = z.strictObject({ name: name(), cadence, ...plan }).meta({
  example: {
    name: 'Support, nightly',
    cadence: 'daily',
    filter: { agent_id: 'support-bot', within_hours: 24 },
    only_if_changed: true,
  },
});
export type MonitorRequest = z.infer<typeof monitorRequest>;

export const monitorChange = z
  .strictObject({ name: name().optional(), cadence: cadence.optional(), ...plan })
  .meta({ example: { cadence: 'cron:30 4 * * 1-5' } });
export type MonitorChange = z.infer<typeof monitorChange>;

export const monitorAnswer = z.object({
  monitor_id: z.string(),
  name: z.string(),
  cadence: z.string(),
  state: z.enum(['active', 'paused']),
  plan: planAnswer,
  next_tick: timeOut.nullable().meta({ description: 'Null while paused' }),
  last_tick: timeOut.nullable(),
  last_run_id: z.string().nullable(),
  created_at: timeOut,
});

export const monitorDetail = monitorAnswer.extend({
  detectors: z
    .array(
      z.object({
        metric: sessionMetric,
        sessions: z.int().meta({ description: 'Seen by the detector' }),
        baseline_pass_rate: z.number().nullable().meta({ description: 'Null until it is known' }),
        change: z
          .object({
            detected_at: timeOut,
            since: timeOut,
            sessions_since: z.int(),
            rate_since: z.number(),
            e_value: z.number(),
          })
          .nullable(),
      }),
    )
    .meta({ description: 'Whether the sessions it scores got worse, by each metric' }),
});

export const monitorPage = pageOf(monitorAnswer);
export const monitorQuery = z.strictObject(pageQuery);
