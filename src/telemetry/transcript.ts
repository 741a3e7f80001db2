/**
 * Claude Code's own transcripts, the .jsonl files below ~/.claude/projects: one entry per line, written whether or not telemetry is
 * switched on. They hold everything that was said; of it only what counts is taken.
 *
 * Usage is repeated on every content block of one answer, so a request is known by its `requestId` and the largest
 * figures count. A tool has its name in the call and its outcome in the result; the two meet under the id of the call. A
 * tool that a person refused has a result here, which is no result in telemetry, and is counted as refused. Entries of
 * sub-agents count, but nobody prompted them.
 */
import { JsonFault } from './otlp/json-cursor.ts';
import type { Reading, SessionEvent } from './session-event.ts';
import { toTokens } from './to-tokens.ts';

type Json = { readonly [key: string]: unknown };

const REFUSED =
  /^(User rejected tool use|The user doesn't want to (proceed with this tool use|take this action right now))/;
/** Entries that Claude Code writes in the name of the user. */
const NOT_TYPED =
  /^(\[Request interrupted by user|<local-command-(stdout|stderr|caveat)>|<bash-(stdout|stderr)>|Caveat: )/;

/** The events of one line; null when it is no entry of a transcript. */
export function readTranscriptLine(line: string): SessionEvent[] | null {
  const entry = parse(line);
  const sessionId = text(entry.sessionId);
  if (sessionId === undefined || typeof entry.type !== 'string') return null;
  const at = Date.parse(String(entry.timestamp)) || 0;
  const told: Reading[] = [...readEntry(entry), { kind: 'other' }];
  return told.map((reading) => ({
    ...reading,
    sessionId,
    agent: { name: 'claude-code', rank: 0 },
    dialect: 'transcript',
    masque: '',
    entrypoint: text(entry.entrypoint) ?? '',
    at,
    since: at,
    detailed: true,
    secondary: true,
  }));
}

function readEntry(entry: Json): Reading[] {
  const message = object(entry.message);
  if (entry.type === 'assistant') return readAnswer(entry, message);
  if (entry.type === 'user') return readUser(entry, message);
  if (entry.type === 'system' && entry.subtype === 'compact_boundary') {
    return [{ kind: 'compaction', id: text(entry.uuid) }];
  }
  if (entry.type === 'system' && entry.subtype === 'api_error') {
    return [{ kind: 'retry', id: text(entry.uuid), amount: 1 }];
  }
  return [];
}

function readAnswer(entry: Json, message: Json): Reading[] {
  if (entry.isApiErrorMessage === true) return [{ kind: 'error', id: text(entry.uuid) }];
  const calls: Reading[] = blocks(message)
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name }) => ({ kind: 'tool', id: text(id), name: text(name) }));
  const usage = object(message.usage);
  const model = text(message.model);
  const tokens = toTokens({
    input: number(usage.input_tokens),
    output: number(usage.output_tokens),
    cacheRead: number(usage.cache_read_input_tokens),
    cacheWrite: number(usage.cache_creation_input_tokens),
  });
  if (!tokens || model === '<synthetic>') return calls;
  const id = text(entry.requestId) ?? text(message.id);
  return [...calls, { kind: 'model', id, name: model, tokens, costUsd: number(entry.costUSD) }];
}

function readUser(entry: Json, message: Json): Reading[] {
  const results = blocks(message).filter(({ type }) => type === 'tool_result');
  if (results.length > 0) return results.map((block) => readResult(entry, block));
  const said = typeof message.content === 'string' ? message.content : saidIn(blocks(message));
  if (said === undefined || NOT_TYPED.test(said)) return [];
  if (entry.isMeta === true || entry.isSidechain === true || entry.isCompactSummary === true) return [];
  return [{ kind: 'prompt', id: text(entry.promptId) ?? text(entry.uuid) }];
}

/** The first text, wherever it stands; a prompt may begin with a picture, or be nothing else. */
function saidIn(parts: readonly Json[]): string | undefined {
  const said = text(parts.find(({ type }) => type === 'text')?.text);
  return said ?? (parts.some(({ type }) => type === 'image' || type === 'document') ? '' : undefined);
}

function readResult(entry: Json, block: Json): Reading {
  const id = text(block.tool_use_id);
  const failed = block.is_error === true;
  const content = contentOf(block);
  const isRefused = failed && (REFUSED.test(content) || entry.toolUseResult === 'User rejected tool use');
  if (isRefused) return { kind: 'rejection', id };
  return { kind: 'tool', id, ok: !failed };
}

function contentOf({ content }: Json): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? (text(object(content[0]).text) ?? '') : '';
}

function blocks({ content }: Json): Json[] {
  return Array.isArray(content) ? content.map(object) : [];
}

function parse(line: string): Json {
  try {
    return object(JSON.parse(line));
  } catch {
    throw new JsonFault();
  }
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
