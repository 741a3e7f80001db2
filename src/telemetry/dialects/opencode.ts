/**
 * opencode: the devtheops plugin, which logs events under bare names, and the spans of the Vercel AI SDK that opencode's
 * own experimental switch yields, as the second source. Sources: DEVtheOPS/opencode-plugin-otel, src/handlers; ai-sdk.dev,
 * telemetry. The plugin's input leaves the cache out, the SDK's contains it. Outer spans (`ai.streamText`) repeat the
 * tokens of the calls inside them (`.doStream`). Lines are a gauge beside a sum; the sum counts.
 */
import { attribute } from '../attributes.ts';
import {
  type Dialect,
  durationOf,
  firstNumber,
  firstText,
  nameBehind,
  SERVICE_NAME,
  SESSION_ID,
} from '../dialect.ts';
import type { Reading } from '../session-event.ts';
import type { TelemetryRecord } from '../telemetry-record.ts';
import { toTokens, toTokensFromTotalInput } from '../to-tokens.ts';

const TOOL_NAME = attribute('tool_name');
const CALL_ID = attribute('call_id');
const SUCCESS = attribute('success');
const DURATION_MS = attribute('duration_ms');
const DECISION = attribute('decision');
const MODEL = attribute('model');
const COST = ['cost_usd', 'cost'].map(attribute);
const INPUT = attribute('input_tokens');
const OUTPUT = attribute('output_tokens');
const CACHE_READ = attribute('cache_read_tokens');
const CACHE_WRITE = attribute('cache_creation_tokens');
const TYPE = attribute('type');

const SDK_TOOL = attribute('ai.toolCall.name');
const SDK_CALL_ID = attribute('ai.toolCall.id');
const SDK_MODEL = ['ai.response.model', 'ai.model.id', 'gen_ai.request.model'].map(attribute);
const SDK_INPUT = ['ai.usage.inputTokens', 'ai.usage.promptTokens'].map(attribute);
const SDK_OUTPUT = ['ai.usage.outputTokens', 'ai.usage.completionTokens'].map(attribute);
const SDK_CACHED = attribute('ai.usage.cachedInputTokens');

export const opencode: Dialect = {
  name: 'opencode',
  matches: (record) =>
    record.scope === 'com.opencode' ||
    record.text(SERVICE_NAME) === 'opencode' ||
    (record.kind === 'span' && /^ai\.(toolCall|streamText|generateText)/.test(record.name)),
  session: (record) => record.text(SESSION_ID),
  read(record) {
    if (record.kind === 'metric') return readMetric(record);
    if (record.kind === 'span') return readSdkSpan(record);
    return Object.hasOwn(EVENTS, record.name) ? (EVENTS[record.name]?.(record) ?? null) : null;
  },
};

const EVENTS: Record<string, (record: TelemetryRecord) => Reading | null> = {
  user_prompt: () => ({ kind: 'prompt' }),
  api_request: (record) => ({
    kind: 'model',
    name: record.text(MODEL),
    tokens: toTokens({
      input: record.number(INPUT),
      output: record.number(OUTPUT),
      cacheRead: record.number(CACHE_READ),
      cacheWrite: record.number(CACHE_WRITE),
    }),
    costUsd: firstNumber(record, ...COST),
  }),
  api_error: (record) => ({ kind: 'error', name: record.text(MODEL) }),
  'session.error': () => ({ kind: 'error' }),
  tool_result: (record) => ({
    kind: 'tool',
    id: record.text(CALL_ID),
    name: record.text(TOOL_NAME),
    ok: record.boolean(SUCCESS) ?? false,
    amount: record.number(DURATION_MS),
  }),
  tool_decision: (record) =>
    record.text(DECISION) === 'reject'
      ? { kind: 'rejection', id: record.text(CALL_ID), name: record.text(TOOL_NAME) }
      : null,
  commit: () => ({ kind: 'metric', name: 'commit.count', amount: 1 }),
};

function readSdkSpan(record: TelemetryRecord): Reading | null {
  if (record.name.startsWith('ai.toolCall')) {
    // Some versions have the name of the tool only behind that of the span.
    const name = record.text(SDK_TOOL) ?? nameBehind('ai.toolCall', record);
    const id = record.text(SDK_CALL_ID) ?? record.spanId;
    return {
      kind: 'tool',
      id,
      name,
      ok: !record.failed,
      amount: durationOf(record),
      secondary: true,
    };
  }
  if (!/^ai\.\w+\.do(Stream|Generate)/.test(record.name)) return null;
  const name = firstText(record, ...SDK_MODEL);
  if (record.failed) return { kind: 'error', id: record.spanId, name, secondary: true };
  const tokens = toTokensFromTotalInput({
    input: firstNumber(record, ...SDK_INPUT),
    output: firstNumber(record, ...SDK_OUTPUT),
    cacheRead: record.number(SDK_CACHED),
  });
  return { kind: 'model', id: record.spanId, name, tokens, secondary: true };
}

function readMetric(record: TelemetryRecord): Reading | null {
  const metric = /(lines_of_code\.count|pull_request\.count)$/.exec(record.name)?.[1];
  if (metric === undefined) return null;
  const series = [metric, record.text(TYPE)].filter(Boolean).join('/');
  return { kind: 'metric', id: series, name: series, amount: record.value };
}
