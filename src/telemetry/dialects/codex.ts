/**
 * Codex. Source: openai/codex, codex-rs/otel. It names its service after whoever started it, so it is known by its event
 * names. Numbers may be text. Input tokens contain the cache. `tool_token_count` is the total and not read;
 * `codex.sandbox_outcome` repeats a tool result and is not read either. In code mode the wrapper `exec` (and `wait`, which
 * polls it) is logged beside the commands it runs: the commands count. Its spans call the session `thread.id`, and the
 * turn `gen_ai.conversation.id`; they repeat the logs and only prove life.
 */
import { isUuid } from '../../core/ids.ts';
import { attribute } from '../attributes.ts';
import { type Dialect, firstText } from '../dialect.ts';
import type { Reading } from '../session-event.ts';
import type { TelemetryRecord } from '../telemetry-record.ts';
import { toTokensFromTotalInput } from '../to-tokens.ts';

const CONVERSATION = attribute('conversation.id');
const THREAD = attribute('thread.id');
const EVENT_KIND = attribute('event.kind');
const CALL_ID = attribute('call_id');
const TOOL_NAME = attribute('tool_name');
const SUCCESS = attribute('success');
const DURATION_MS = attribute('duration_ms');
const DECISION = attribute('decision');
const MODEL = attribute('model');
const ERROR = attribute('error.message');
const STATUS = attribute('http.response.status_code');
const ATTEMPT = attribute('attempt');
const INPUT = attribute('input_token_count');
const OUTPUT = attribute('output_token_count');
const CACHED = attribute('cached_token_count');
const WRITTEN = attribute('cache_write_token_count');
const TURN = attribute('turn.id');
const TURN_COST = attribute('usage.estimated_usd');

const PREFIX = 'codex.';
const WRAPPERS = ['exec', 'wait'];

export const codex: Dialect = {
  name: 'codex',
  matches: (record) =>
    record.name.startsWith(PREFIX) ||
    record.scope.startsWith('codex') ||
    // Elsewhere a thread is one of the operating system, and its id a small number.
    (record.kind === 'span' && isUuid(record.text(THREAD) ?? '')),
  session: (record) =>
    record.kind === 'log' ? record.text(CONVERSATION) : firstText(record, THREAD, CONVERSATION),
  read(record) {
    if (record.kind !== 'log') return null;
    const name = record.name.slice(PREFIX.length);
    return Object.hasOwn(EVENTS, name) ? (EVENTS[name]?.(record) ?? null) : null;
  },
};

const EVENTS: Record<string, (record: TelemetryRecord) => Reading | null> = {
  user_prompt: () => ({ kind: 'prompt' }),
  sse_event: readResponse,
  api_request: readRequest,
  tool_result(record) {
    const name = record.text(TOOL_NAME);
    if (name !== undefined && WRAPPERS.includes(name)) return null;
    const ok = record.boolean(SUCCESS) ?? false;
    return { kind: 'tool', id: record.text(CALL_ID), name, ok, amount: record.number(DURATION_MS) };
  },
  tool_decision(record) {
    const decision = record.text(DECISION)?.toLowerCase();
    if (decision === undefined || decision.startsWith('approved')) return null;
    return { kind: 'rejection', id: record.text(CALL_ID), name: record.text(TOOL_NAME) };
  },
  turn_cost(record) {
    const amount = record.number(TURN_COST);
    if (amount === undefined) return null;
    return { kind: 'metric', id: `cost.usage|${record.text(TURN) ?? record.at}`, name: 'cost.usage', amount };
  },
};

/** Tokens come with the end of the stream, and so does the word that it failed. */
function readResponse(record: TelemetryRecord): Reading | null {
  if (record.text(ERROR) !== undefined) return { kind: 'error', name: record.text(MODEL) };
  if (record.text(EVENT_KIND) !== 'response.completed') return null;
  const tokens = toTokensFromTotalInput({
    input: record.number(INPUT),
    output: record.number(OUTPUT),
    cacheRead: record.number(CACHED),
    cacheWrite: record.number(WRITTEN),
  });
  return { kind: 'model', name: record.text(MODEL), tokens };
}

/** The transport, one record for each attempt, counted from 0. */
function readRequest(record: TelemetryRecord): Reading | null {
  const failed = record.text(ERROR) !== undefined || (record.number(STATUS) ?? 0) >= 400;
  const isRetry = (record.number(ATTEMPT) ?? 0) > 0;
  if (failed) return { kind: 'attempt', name: record.text(MODEL), amount: isRetry ? 1 : 0 };
  return isRetry ? { kind: 'retry', amount: 1 } : null;
}
