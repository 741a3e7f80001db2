/**
 * Claude Code, and Cowork, which speaks the same. Source: code.claude.com/docs/en/monitoring-usage.
 * A rejected tool has a decision and no result. Input tokens leave the cache out. `api_error` comes once, after all
 * retries, and its `attempt` says how many requests there were. Spans repeat what the logs say and only prove life.
 */
import { attribute } from '../attributes.ts';
import { type Dialect, firstText, SERVICE_NAME, SESSION_ID } from '../dialect.ts';
import type { Reading } from '../session-event.ts';
import type { TelemetryRecord } from '../telemetry-record.ts';
import { toTokens } from '../to-tokens.ts';

const PROMPT_ID = attribute('prompt.id');
const TOOL_NAME = attribute('tool_name');
const TOOL_USE_ID = attribute('tool_use_id');
const SUCCESS = attribute('success');
const DURATION_MS = attribute('duration_ms');
const DECISION = attribute('decision');
const MODEL = attribute('model');
const REQUEST_ID = attribute('request_id');
const CLIENT_REQUEST_ID = attribute('client_request_id');
const INPUT_TOKENS = attribute('input_tokens');
const OUTPUT_TOKENS = attribute('output_tokens');
const CACHE_READ_TOKENS = attribute('cache_read_tokens');
const CACHE_CREATION_TOKENS = attribute('cache_creation_tokens');
const COST_USD = attribute('cost_usd');
const COST_USD_MICROS = attribute('cost_usd_micros');
const ATTEMPT = attribute('attempt');
const TYPE = attribute('type');

const PREFIX = 'claude_code.';

export const claudeCode: Dialect = {
  name: 'claude-code',
  matches(record) {
    if (record.name.startsWith(PREFIX) || record.scope.startsWith('com.anthropic.claude_code')) return true;
    const service = record.text(SERVICE_NAME);
    // Cowork shares the scope of Claude Code in some versions and not in others, but never its service name.
    return service === 'cowork' || service === 'claude-code' || service === 'claude-code-desktop';
  },
  session: (record) => record.text(SESSION_ID),
  read(record) {
    if (record.kind === 'metric') return readMetric(record);
    if (record.kind !== 'log') return null;
    const name = record.name.startsWith(PREFIX) ? record.name.slice(PREFIX.length) : record.name;
    return Object.hasOwn(EVENTS, name) ? (EVENTS[name]?.(record) ?? null) : null;
  },
};

const EVENTS: Record<string, (record: TelemetryRecord) => Reading | null> = {
  user_prompt: (record) => ({ kind: 'prompt', id: record.text(PROMPT_ID) }),
  tool_result: (record) => ({
    kind: 'tool',
    id: record.text(TOOL_USE_ID),
    name: record.text(TOOL_NAME),
    ok: record.boolean(SUCCESS) ?? false,
    amount: record.number(DURATION_MS),
  }),
  tool_decision: (record) =>
    record.text(DECISION) === 'reject'
      ? { kind: 'rejection', id: record.text(TOOL_USE_ID), name: record.text(TOOL_NAME) }
      : null,
  api_request: (record) => ({
    kind: 'model',
    id: firstText(record, REQUEST_ID, CLIENT_REQUEST_ID),
    name: record.text(MODEL),
    tokens: toTokens({
      input: record.number(INPUT_TOKENS),
      output: record.number(OUTPUT_TOKENS),
      cacheRead: record.number(CACHE_READ_TOKENS),
      cacheWrite: record.number(CACHE_CREATION_TOKENS),
    }),
    costUsd: readCost(record),
  }),
  api_error: (record) => ({
    kind: 'error',
    id: firstText(record, REQUEST_ID, CLIENT_REQUEST_ID),
    name: record.text(MODEL),
    amount: Math.max(0, (record.number(ATTEMPT) ?? 1) - 1),
  }),
  api_refusal: (record) => ({ kind: 'error', id: record.text(REQUEST_ID), name: record.text(MODEL) }),
  compaction: () => ({ kind: 'compaction' }),
};

function readCost(record: TelemetryRecord): number | undefined {
  const micros = record.number(COST_USD_MICROS);
  return record.number(COST_USD) ?? (micros === undefined ? undefined : micros / 1e6);
}

const METRICS = [
  'token.usage',
  'cost.usage',
  'lines_of_code.count',
  'commit.count',
  'pull_request.count',
  'active_time.total',
];

/** What the logs do not have, and tokens and cost for sessions that send metrics alone. */
function readMetric(record: TelemetryRecord): Reading | null {
  const metric = record.name.startsWith(PREFIX) ? record.name.slice(PREFIX.length) : '';
  if (!METRICS.includes(metric)) return null;
  const series = [metric, record.text(TYPE)].filter(Boolean).join('/');
  return { kind: 'metric', id: series, name: series, amount: record.value };
}
