/**
 * A conversation as turns: from Claude Code transcripts (one entry a line) and from chat messages as OpenAI and Anthropic
 * have them. A turn begins when a person says something. Events of several sessions may come mixed; each session keeps its
 * own order, and a tool's result finds its call by its id wherever it stands.
 */
import { contentText } from '../message-text.ts';
import type { ToolCall, Turn } from './turn.ts';

type Json = { readonly [key: string]: unknown };

interface Reading {
  turns: Turn[];
  /** Calls whose results may still come. */
  open: Map<string, ToolCall>;
}

export class TurnReader {
  readonly #sessions = new Map<string, Reading>();
  readonly #sessionId: string;

  /** `sessionId` is for messages that name none. */
  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** One entry of a transcript, one chat message, or `{ messages: [...] }`. What is none of these is passed over. */
  add(value: unknown): void {
    const entry = object(value);
    if (Array.isArray(entry.messages)) {
      for (const message of entry.messages) this.add({ session_id: entry.session_id, ...object(message) });
      return;
    }
    if (entry.isMeta === true || entry.isSidechain === true) return;
    const message = entry.message === undefined ? entry : object(entry.message);
    const reading = this.#readingOf(text(entry.sessionId) ?? text(entry.session_id) ?? this.#sessionId);
    const at = Date.parse(String(entry.timestamp ?? ''));
    readMessage(reading, message, Number.isNaN(at) ? null : at);
  }

  /** Each with the ids it will be stored under. */
  turns(): Turn[] {
    return [...this.#sessions].flatMap(([sessionId, { turns }]) =>
      turns.map((turn, i) => ({ ...turn, sessionId, traceId: `turn-${i + 1}` })),
    );
  }

  #readingOf(sessionId: string): Reading {
    const reading = this.#sessions.get(sessionId) ?? { turns: [], open: new Map() };
    this.#sessions.set(sessionId, reading);
    return reading;
  }
}

function readMessage(reading: Reading, message: Json, at: number | null): void {
  const role = text(message.role);
  if (role === 'assistant') readAnswer(reading, message, at);
  else if (role === 'tool')
    closeCall(reading, text(message.tool_call_id), { output: contentText(message.content), ok: null });
  else if (role === 'user') readUser(reading, message, at);
}

function readUser(reading: Reading, message: Json, at: number | null): void {
  const results = blocksOf(message).filter(({ type }) => type === 'tool_result');
  for (const block of results) {
    closeCall(reading, text(block.tool_use_id), {
      output: contentText(block.content),
      ok: block.is_error !== true,
    });
  }
  const said = contentText(message.content);
  if (said !== null && said.trim() !== '') reading.turns.push(newTurn(said, at));
}

function readAnswer(reading: Reading, message: Json, at: number | null): void {
  const turn = reading.turns.at(-1) ?? newTurn(null, at);
  if (reading.turns.length === 0) reading.turns.push(turn);
  const said = contentText(message.content);
  if (said !== null && said.trim() !== '') turn.answers.push(said);
  for (const block of blocksOf(message).filter(({ type }) => type === 'tool_use')) {
    openCall(reading, turn, { id: text(block.id), name: text(block.name), input: canonical(block.input) });
  }
  for (const call of Array.isArray(message.tool_calls) ? message.tool_calls.map(object) : []) {
    const { name, arguments: given } = object(call.function);
    openCall(reading, turn, { id: text(call.id), name: text(name), input: canonicalText(given) });
  }
}

interface Opened {
  id: string | undefined;
  name: string | undefined;
  input: string | null;
}

function openCall({ open }: Reading, turn: Turn, { id, name = '', input }: Opened): void {
  const call: ToolCall = { name, input, output: null, ok: null };
  turn.calls.push(call);
  if (id !== undefined) open.set(id, call);
}

function closeCall({ open }: Reading, id: string | undefined, result: Pick<ToolCall, 'output' | 'ok'>): void {
  const call = id === undefined ? undefined : open.get(id);
  if (call) Object.assign(call, result);
}

function newTurn(request: string | null, startedAt: number | null): Turn {
  return { sessionId: '', traceId: '', startedAt, request, answers: [], calls: [], tools: null };
}

function blocksOf({ content }: Json): Json[] {
  return Array.isArray(content) ? content.map(object) : [];
}

/** Arguments that came as a text of JSON. */
function canonicalText(value: unknown): string | null {
  if (typeof value !== 'string') return canonical(value);
  try {
    return canonical(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Any JSON in one text, with the fields of every object in the order of their names. */
function canonical(value: unknown): string | null {
  if (value === undefined) return null;
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
