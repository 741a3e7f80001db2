/**
 * Gemini CLI, and what its forks share with it. Source: google-gemini/gemini-cli, docs/cli/telemetry.md.
 * Input contains the cache. The buckets `tool` and `total` overlap the others and are never added; `total` tells whether
 * thoughts are counted inside the output or beside it. Errors spell some attributes differently, none of which counts.
 * `gen_ai.client.inference.operation.details` repeats `api_response` and is not read.
 */
import { attribute } from '../attributes.ts';
import { type Dialect, firstText, SERVICE_NAME, SESSION_ID } from '../dialect.ts';
import type { Reading } from '../session-event.ts';
import type { TelemetryRecord } from '../telemetry-record.ts';
import { toTokensFromTotalInput } from '../to-tokens.ts';

const PROMPT_ID = attribute('prompt_id');
const FUNCTION_NAME = attribute('function_name');
const SUCCESS = attribute('success');
const DECISION = attribute('decision');
const DURATION_MS = attribute('duration_ms');
const CALL_ID = attribute('call_id');
const TOOL_CALL_ID = attribute('gen_ai.tool.call_id');
const RESPONSE_ID = attribute('response_id');
const MODEL = attribute('model');
const MODEL_NAME = attribute('model_name');
const INPUT = attribute('input_token_count');
const OUTPUT = attribute('output_token_count');
const CACHED = attribute('cached_content_token_count');
const THOUGHTS = attribute('thoughts_token_count');
const TOTAL = attribute('total_token_count');
const TYPE = attribute('type');

export const geminiCli: Dialect = createGeminiDialect({
  name: 'gemini-cli',
  prefix: 'gemini_cli.',
  thoughtsApart: true,
});

/** `thoughtsApart`: what holds where a response does not give its total. */
export function createGeminiDialect(of: { name: string; prefix: string; thoughtsApart: boolean }): Dialect {
  return {
    name: of.name,
    matches: (record) => record.name.startsWith(of.prefix) || record.text(SERVICE_NAME) === of.name,
    session: (record) => record.text(SESSION_ID),
    read(record) {
      const name = record.name.startsWith(of.prefix) ? record.name.slice(of.prefix.length) : record.name;
      if (record.kind === 'metric') return readLines(name, record);
      if (record.kind !== 'log' || !Object.hasOwn(EVENTS, name)) return null;
      return EVENTS[name]?.(record, of.thoughtsApart) ?? null;
    },
  };
}

const EVENTS: Record<string, (record: TelemetryRecord, thoughtsApart: boolean) => Reading | null> = {
  user_prompt: (record) => ({ kind: 'prompt', id: record.text(PROMPT_ID) }),
  api_response: readResponse,
  api_error: (record) => ({ kind: 'error', name: firstText(record, MODEL, MODEL_NAME) }),
  api_retry: () => ({ kind: 'retry', amount: 1 }),
  tool_call: readToolCall,
  chat_compression: () => ({ kind: 'compaction' }),
  loop_detected: () => ({ kind: 'loop' }),
  repeated_tool_failure_guard: () => ({ kind: 'loop' }),
  end_session: () => ({ kind: 'end' }),
};

/** A tool that was rejected did not run, whatever its `success` says. */
function readToolCall(record: TelemetryRecord): Reading {
  const name = record.text(FUNCTION_NAME);
  const id = firstText(record, CALL_ID, TOOL_CALL_ID);
  if (record.text(DECISION) === 'reject') return { kind: 'rejection', id, name };
  return { kind: 'tool', id, name, ok: record.boolean(SUCCESS) ?? false, amount: record.number(DURATION_MS) };
}

function readResponse(record: TelemetryRecord, thoughtsApart: boolean): Reading {
  const input = record.number(INPUT);
  const output = record.number(OUTPUT);
  const thoughts = record.number(THOUGHTS) ?? 0;
  const total = record.number(TOTAL);
  const beside = total === undefined ? thoughtsApart : total >= (input ?? 0) + (output ?? 0) + thoughts;
  return {
    kind: 'model',
    id: record.text(RESPONSE_ID),
    name: record.text(MODEL),
    tokens: toTokensFromTotalInput({
      input,
      output: beside && output !== undefined ? output + thoughts : output,
      cacheRead: record.number(CACHED),
    }),
  };
}

function readLines(metric: string, record: TelemetryRecord): Reading | null {
  if (metric !== 'lines.changed') return null;
  const series = `lines_of_code.count/${record.text(TYPE) ?? 'changed'}`;
  return { kind: 'metric', id: series, name: series, amount: record.value };
}
