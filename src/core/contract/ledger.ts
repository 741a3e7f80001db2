/** The ledger as a file: one JSON object a line, each saying what it is. `renown export` writes it, `renown import` reads it. */
import { z } from 'zod';
import { SESSION_METRICS } from '../session-metric.ts';
import { anyFields } from './parse.ts';

const time = z.number();
const textOrNull = z.string().nullable();

const org = z.strictObject({
  kind: z.literal('org'),
  org_id: z.string(),
  name: z.string(),
  created_at: time,
});

const key = z.strictObject({
  kind: z.literal('key'),
  org_id: z.string(),
  key_id: z.string(),
  key_kind: z.enum(['pk', 'sk']),
  hash: z.string(),
  hint: z.string(),
  created_at: time,
  revoked_at: time.nullable(),
  last_used_at: time.nullable(),
});

const agent = z.strictObject({
  kind: z.literal('agent'),
  org_id: z.string(),
  agent_id: z.string(),
  identity_id: z.string(),
  display_name: textOrNull,
  is_public: z.boolean(),
  created_at: time,
  pruned_evaluations: z.number(),
});

const evaluation = z.strictObject({
  kind: z.literal('evaluation'),
  org_id: z.string(),
  evaluation_id: z.string(),
  agent_id: z.string(),
  tool: textOrNull,
  passed: z.boolean(),
  counts: z.boolean(),
  gates: z.array(
    z.strictObject({
      name: z.string(),
      outcome: z.enum(['passed', 'failed', 'skipped', 'aborted', 'timeout', 'error']),
      latency_ms: z.number(),
      reason: textOrNull,
    }),
  ),
  total_latency_ms: z.number(),
  latency_ms: z.number().nullable(),
  source: z.enum(['sdk', 'proxy', 'api']),
  known_as: z.enum(['server', 'signed', 'reported']),
  direction: z.enum(['request', 'response']).nullable(),
  suite_hash: textOrNull,
  sample_rate: z.number(),
  model: textOrNull,
  version: textOrNull,
  session_id: textOrNull,
  trace_id: textOrNull,
  tags: z.array(z.string()),
  occurred_at: time,
  received_at: time,
  voided: z.strictObject({ at: time, reason: z.string() }).nullable(),
});

const reputationEvent = z.strictObject({
  kind: z.literal('reputation_event'),
  org_id: z.string(),
  event_id: z.string(),
  identity_id: z.string(),
  timestamp: time,
  category: z.enum(['task_quality', 'economic', 'identity_hygiene']),
  event_type: z.string(),
  score_delta: z.number(),
  confidence: z.number(),
  reference_type: z.enum(['', 'session', 'transaction', 'attestation']),
  reference_id: z.string(),
  attributes: anyFields,
  revision: z.number(),
});

const figures = z.strictObject({
  confidence: z.number(),
  loop_detection: z.number(),
  tool_correctness: z.number(),
  coherence: z.number(),
});

const signalReport = z.strictObject({
  kind: z.literal('signal_report'),
  org_id: z.string(),
  session_id: z.string(),
  trace_id: z.string(),
  agent_id: textOrNull,
  signals: figures.partial(),
  started_at: time.nullable(),
  tags: z.array(z.string()),
  source: z.string(),
  received_at: time,
});

const sessionScore = z.strictObject({
  kind: z.literal('session_score'),
  org_id: z.string(),
  run_id: z.string(),
  session_id: z.string(),
  metric: z.enum(SESSION_METRICS),
  agent_id: textOrNull,
  tags: z.array(z.string()),
  score: z.number(),
  threshold: z.number(),
  passed: z.boolean().nullable(),
  evidence: z.enum(['none', 'partial', 'full']),
  total_traces: z.number(),
  traces_evaluated: z.number(),
  flagged_traces: z.number(),
  signal_counts: figures,
  weights: figures,
  revision: z.number(),
  session_at: time,
  computed_at: time,
});

const sessionHead = z.strictObject({
  kind: z.literal('session_head'),
  org_id: z.string(),
  session_id: z.string(),
  masque: z.string(),
  agent: z.string(),
  agent_rank: z.number(),
  dialects: z.array(z.string()),
  entrypoint: z.string(),
  first_at: time,
  last_at: time,
  ended: z.boolean(),
  detailed: z.boolean(),
  received_at: time,
});

const sessionEvent = z.strictObject({
  kind: z.literal('session_event'),
  org_id: z.string(),
  session_id: z.string(),
  masque: z.string(),
  fingerprint: z.number(),
  event_kind: z.number(),
  outcome: z.number(),
  source: z.number(),
  name: z.string(),
  at: time,
  amount: z.number().nullable(),
  cost: z.number().nullable(),
  tokens: z.array(z.number().nullable()).nullable(),
});

const sessionVerdict = z.strictObject({
  kind: z.literal('session_verdict'),
  org_id: z.string(),
  session_id: z.string(),
  masque: z.string(),
  agent_id: textOrNull,
  entrypoint: z.string(),
  kind_of_work: z.string(),
  started_at: time,
  ended_at: time,
  tools: z.number(),
  composite: z.number(),
  recommendation: z.string(),
  revision: z.number(),
  received_at: time,
  judged_at: time,
  details: z.unknown(),
});

const audit = z.strictObject({
  kind: z.literal('audit'),
  org_id: z.string(),
  audit_id: z.string(),
  at: time,
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  note: z.string(),
});

const document = z.strictObject({
  kind: z.literal('document'),
  org_id: z.string(),
  document_kind: z.string(),
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
