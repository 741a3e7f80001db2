/** The ledger as a file: one JSON object a line, each saying what it is. `renown export` writes it, `renown import` reads it. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { LATENCY_RANGE, SAMPLE_RATE_RANGE } from '../reputation.ts';
import { SESSION_METRICS } from '../session-metric.ts';
import { agentId, name, sentence, tags } from './fields.ts';
import { anyFields } from './parse.ts';

// The bounds are those of the API: what it would have refused has no way in through a file.
const time = z.number().min(-LIMITS.epochMsMax).max(LIMITS.epochMsMax);
const latency = z.number().min(LATENCY_RANGE.min).max(LATENCY_RANGE.max);
const share = z.number().min(0).max(1);
const count = z.int().min(0);
const orgId = name(LIMITS.orgIdLengthMax);
const nameOrNull = name().nullable();
const textOrNull = z.string().nullable();

const org = z.strictObject({
  kind: z.literal('org'),
  org_id: orgId,
  name: z.string(),
  created_at: time,
});

const key = z.strictObject({
  kind: z.literal('key'),
  org_id: orgId,
  key_id: name(),
  key_kind: z.enum(['pk', 'sk']),
  hash: z.string(),
  hint: z.string(),
  created_at: time,
  revoked_at: time.nullable(),
  last_used_at: time.nullable(),
});

const agent = z.strictObject({
  kind: z.literal('agent'),
  org_id: orgId,
  agent_id: agentId,
  identity_id: name(),
  display_name: textOrNull,
  is_public: z.boolean(),
  created_at: time,
  pruned_evaluations: count,
});

const evaluation = z.strictObject({
  kind: z.literal('evaluation'),
  org_id: orgId,
  evaluation_id: name(),
  agent_id: agentId,
  tool: nameOrNull,
  passed: z.boolean(),
  counts: z.boolean(),
  gates: z.array(
    z.strictObject({
      name: name(),
      outcome: z.enum(['passed', 'failed', 'skipped', 'aborted', 'timeout', 'error']),
      latency_ms: latency,
      reason: sentence().nullable(),
    }),
  ),
  total_latency_ms: latency,
  latency_ms: latency.nullable(),
  source: z.enum(['sdk', 'proxy', 'api']),
  known_as: z.enum(['server', 'signed', 'reported']),
  direction: z.enum(['request', 'response']).nullable(),
  suite_hash: nameOrNull,
  sample_rate: z.number().min(SAMPLE_RATE_RANGE.min).max(SAMPLE_RATE_RANGE.max),
  model: nameOrNull,
  version: nameOrNull,
  session_id: nameOrNull,
  trace_id: nameOrNull,
  tags,
  occurred_at: time,
  received_at: time,
  voided: z.strictObject({ at: time, reason: z.string() }).nullable(),
});

const reputationEvent = z.strictObject({
  kind: z.literal('reputation_event'),
  org_id: orgId,
  event_id: name(),
  identity_id: name(),
  timestamp: time,
  category: z.enum(['task_quality', 'economic', 'identity_hygiene']),
  event_type: name(),
  score_delta: z.number().min(-LIMITS.scoreDeltaMax).max(LIMITS.scoreDeltaMax),
  confidence: share,
  reference_type: z.enum(['', 'session', 'transaction', 'attestation']),
  reference_id: z.string(),
  attributes: anyFields,
  revision: count,
});

const figures = z.strictObject({
  confidence: z.number(),
  loop_detection: z.number(),
  tool_correctness: z.number(),
  coherence: z.number(),
});

const signalReport = z.strictObject({
  kind: z.literal('signal_report'),
  org_id: orgId,
  session_id: name(),
  trace_id: name(),
  agent_id: agentId.nullable(),
  signals: figures.partial(),
  started_at: time.nullable(),
  tags,
  source: name(),
  received_at: time,
});

const sessionScore = z.strictObject({
  kind: z.literal('session_score'),
  org_id: orgId,
  run_id: name(),
  session_id: name(),
  metric: z.enum(SESSION_METRICS),
  agent_id: agentId.nullable(),
  tags,
  score: share,
  threshold: share,
  passed: z.boolean().nullable(),
  evidence: z.enum(['none', 'partial', 'full']),
  total_traces: count,
  traces_evaluated: count,
  flagged_traces: count,
  signal_counts: figures,
  weights: figures,
  revision: count,
  session_at: time,
  computed_at: time,
});

/** A union would do, but is no text to whoever makes a column of it. */
const nameOrEmpty = z
  .string()
  .refine((value) => value === '' || name().safeParse(value).success, 'must be empty or a name');
/** What a score can count. */
const amount = z.number().min(0);

const sessionHead = z.strictObject({
  kind: z.literal('session_head'),
  org_id: orgId,
  session_id: name(),
  masque: nameOrEmpty,
  agent: z
    .string()
    .refine(
      (value) => value === '' || agentId.safeParse(value).success,
      'must be empty or the id of an agent',
    ),
  agent_rank: z.int().min(-1).max(100),
  dialects: z.array(name()),
  entrypoint: nameOrEmpty,
  first_at: time,
  last_at: time,
  ended: z.boolean(),
  detailed: z.boolean(),
  received_at: time,
});

const sessionEvent = z.strictObject({
  kind: z.literal('session_event'),
  org_id: orgId,
  session_id: name(),
  masque: nameOrEmpty,
  fingerprint: count,
  event_kind: count.max(255),
  outcome: count.max(2),
  source: count.max(1),
  name: nameOrEmpty,
  at: time,
  amount: amount.nullable(),
  cost: amount.nullable(),
  tokens: z.array(amount.nullable()).length(4).nullable(),
});

const sessionVerdict = z.strictObject({
  kind: z.literal('session_verdict'),
  org_id: orgId,
  session_id: name(),
  masque: name(),
  agent_id: agentId.nullable(),
  entrypoint: nameOrEmpty,
  kind_of_work: name(),
  started_at: time,
  ended_at: time,
  tools: count,
  composite: z.number().min(0).max(10),
  recommendation: z.enum(['keep', 'review', 'doff']),
  revision: count,
  received_at: time,
  judged_at: time,
  details: z.unknown(),
});

const audit = z.strictObject({
  kind: z.literal('audit'),
  org_id: orgId,
  audit_id: name(),
  at: time,
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  note: z.string(),
});

const document = z.strictObject({
  kind: z.literal('document'),
  org_id: orgId,
  document_kind: name(),
  id: z.string(),
  version: z.number(),
  updated_at: time,
  body: z.unknown(),
});

export const ledgerLine = z.discriminatedUnion('kind', [
  org,
  key,
  agent,
  evaluation,
  reputationEvent,
  signalReport,
  sessionScore,
  sessionHead,
  sessionEvent,
  sessionVerdict,
  audit,
  document,
]);
export type LedgerLine = z.infer<typeof ledgerLine>;
