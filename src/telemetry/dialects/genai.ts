/**
 * Plain spans after the GenAI conventions of OpenTelemetry, whoever sends them; v1.36 and older names, v1.41, and the
 * renamed ones since. `invoke_agent` repeats the tokens of the calls inside it, so only calls to a model count. A trace
 * with an `invoke_agent` is one turn, and so one prompt, however many agents it nests. Input contains the cache.
 * Without `gen_ai.conversation.id` or `session.id` there is no session.
 */
import { attribute } from '../attributes.ts';
import {
  CONVERSATION_ID,
  type Dialect,
  durationOf,
  firstNumber,
  firstText,
  nameBehind,
  SESSION_ID,
} from '../dialect.ts';
import type { Reading } from '../session-event.ts';
import type { TelemetryRecord } from '../telemetry-record.ts';
import { toTokensFromTotalInput } from '../to-tokens.ts';

const OPERATION = attribute('gen_ai.operation.name');
const TOOL_NAME = attribute('gen_ai.tool.name');
const TOOL_CALL_ID = attribute('gen_ai.tool.call.id');
const TOOL_CALL_ID_OLD = attribute('gen_ai.tool.call_id');
const RESPONSE_ID = attribute('gen_ai.response.id');
const RESPONSE_MODEL = attribute('gen_ai.response.model');
const REQUEST_MODEL = attribute('gen_ai.request.model');
const ERROR_TYPE = attribute('error.type');
const INPUT = ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'].map(attribute);
const OUTPUT = ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'].map(attribute);
const CACHE_READ = ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache.read_input_tokens'].map(
  attribute,
);
const CACHE_WRITE = ['gen_ai.usage.cache_write.input_tokens', 'gen_ai.usage.cache_creation.input_tokens'].map(
  attribute,
);

const MODEL_OPERATIONS = ['chat', 'generate_content', 'text_completion'];

export const genai: Dialect = {
  name: 'genai',
  matches: (record) => record.kind === 'span' && operationOf(record) !== '',
  session: (record) => firstText(record, CONVERSATION_ID, SESSION_ID),
  read: readGenAiSpan,
};

/** What a span after the conventions says; shared with agents that follow them in part. */
export function readGenAiSpan(record: TelemetryRecord): Reading | null {
  const operation = operationOf(record);
  const failed = record.failed || record.text(ERROR_TYPE) !== undefined;
  if (operation === 'invoke_agent') return { kind: 'prompt', id: record.traceId };
  if (operation === 'execute_tool') {
    return {
      kind: 'tool',
      id: firstText(record, TOOL_CALL_ID, TOOL_CALL_ID_OLD) ?? record.spanId,
      name: record.text(TOOL_NAME) ?? restOfName(record),
      ok: !failed,
      amount: durationOf(record),
    };
  }
  if (!MODEL_OPERATIONS.includes(operation)) return null;
  const name = firstText(record, RESPONSE_MODEL, REQUEST_MODEL) ?? restOfName(record);
  if (failed) return { kind: 'error', id: record.spanId, name };
  return { kind: 'model', id: record.text(RESPONSE_ID) ?? record.spanId, name, tokens: tokensOf(record) };
}

function tokensOf(record: TelemetryRecord) {
  return toTokensFromTotalInput({
    input: firstNumber(record, ...INPUT),
    output: firstNumber(record, ...OUTPUT),
    cacheRead: firstNumber(record, ...CACHE_READ),
    cacheWrite: firstNumber(record, ...CACHE_WRITE),
  });
}

/** By the attribute, or by the first word of a span named as the conventions name it. */
function operationOf(record: TelemetryRecord): string {
  return record.text(OPERATION) ?? /^(invoke_agent|execute_tool)(?= |$)/.exec(record.name)?.[1] ?? '';
}

/** `execute_tool readFile` names the tool behind the operation. */
function restOfName(record: TelemetryRecord): string | undefined {
  const space = record.name.indexOf(' ');
  return space === -1 ? undefined : nameBehind(record.name.slice(0, space), record);
}
