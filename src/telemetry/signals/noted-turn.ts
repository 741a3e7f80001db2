/**
 * What is known of a turn while its events pass by. It comes to the same turn whatever the order of the events: when each
 * began decides, and what is told twice is noted once.
 */
import { LIMITS } from '../../core/limits.ts';
import { copied } from '../copied.ts';
import type { SessionEvent } from '../session-event.ts';
import type { Texts } from '../texts.ts';
import type { ToolCall, Turn } from './turn.ts';

interface Timed {
  since: number;
}

interface Said extends Timed {
  text: string;
  /** By the span of the whole turn, which repeats what was said within. */
  isSummary: boolean;
}

interface TimedCall extends ToolCall, Timed {}

export interface NotedTurn {
  startedAt: number | null;
  request: Said | null;
  answers: Said[];
  calls: TimedCall[];
  /** By their ids, for results that come apart from their calls, and for what is told twice. */
  callsById: Map<string, TimedCall>;
  lengthLeft: number;
}

export function noteEvent(turn: NotedTurn, event: SessionEvent, texts: Texts): void {
  const { since } = event;
  if (since > 0) turn.startedAt = Math.min(turn.startedAt ?? since, since);
  if (texts.prompt !== undefined) noteRequest(turn, event, texts.prompt);
  if (texts.answer !== undefined) noteAnswer(turn, event, texts.answer);
  if (event.kind !== 'tool') return;
  const call = callOf(turn, event);
  if (!call) return;
  call.since = Math.min(call.since, since);
  noteCallText(turn, call, 'input', texts.tool_input);
  noteCallText(turn, call, 'output', texts.tool_result);
  if (event.ok !== undefined) call.ok = event.ok && call.ok !== false;
}

export function toTurn({
  startedAt,
  request,
  answers,
  calls,
}: NotedTurn): Omit<Turn, 'sessionId' | 'traceId'> {
  const within = answers.filter(({ isSummary }) => !isSummary);
  return {
    startedAt: startedAt === null ? null : Math.floor(startedAt),
    request: request?.text ?? null,
    answers: (within.length > 0 ? within : answers).sort(compareSaid).map(({ text }) => text),
    calls: calls.sort(compareCalls).map(({ name, input, output, ok }) => ({ name, input, output, ok })),
    tools: null,
  };
}

/** What was asked first counts, and of two at once what the span of the whole turn tells. */
function noteRequest(turn: NotedTurn, event: SessionEvent, prompt: string): void {
  const said = { since: event.since, text: prompt, isSummary: isOfWholeTurn(event) };
  const { request } = turn;
  if (request && compareSaid(request, said) <= 0) return;
  turn.lengthLeft += request?.text.length ?? 0;
  const text = take(turn, prompt);
  if (text !== null) turn.request = { ...said, text };
}

/** The same words of the same moment were sent twice rather than said twice. */
function noteAnswer(turn: NotedTurn, event: SessionEvent, answer: string): void {
  const { answers } = turn;
  const { since } = event;
  const isKnown = answers.some((known) => known.since === since && known.text === answer);
  if (answers.length >= LIMITS.turnAnswersMax || isKnown) return;
  const text = take(turn, answer);
  if (text !== null) answers.push({ since, text, isSummary: isOfWholeTurn(event) });
}

/** A call of which only a part is known would look like another that has that part: it is kept whole or not at all. */
function noteCallText(
  turn: NotedTurn,
  call: TimedCall,
  place: 'input' | 'output',
  text: string | undefined,
): void {
  if (text === undefined || call[place] !== null) return;
  call[place] = take(turn, text);
  if (call[place] === null) Object.assign(call, { input: null, output: null });
}

function isOfWholeTurn({ kind, traceId }: SessionEvent): boolean {
  return kind === 'prompt' && traceId !== undefined;
}

function compareSaid(a: Said, b: Said): number {
  return a.since - b.since || Number(b.isSummary) - Number(a.isSummary) || compareAtOnce(a, a.text, b.text);
}

function compareCalls(a: TimedCall, b: TimedCall): number {
  return a.since - b.since || compareAtOnce(a, `${a.name}\n${a.input}`, `${b.name}\n${b.input}`);
}

/** What happened at the same moment has an order of its own; without a time, the order in which it came is all there is. */
function compareAtOnce({ since }: Timed, a: string, b: string): number {
  if (since === 0 || a === b) return 0;
  return a < b ? -1 : 1;
}

/** Undefined when there is no room for another. */
function callOf({ calls, callsById }: NotedTurn, event: SessionEvent): TimedCall | undefined {
  const id = event.id === undefined ? undefined : copied(event.id.slice(0, LIMITS.nameLengthMax));
  const known = id === undefined ? undefined : callsById.get(id);
  if (known) known.name ||= copied(event.name ?? '');
  if (known || calls.length >= LIMITS.turnCallsMax) return known;
  const { name = '', since } = event;
  const call: TimedCall = { name: copied(name), input: null, output: null, ok: null, since };
  calls.push(call);
  if (id !== undefined) callsById.set(id, call);
  return call;
}

/** A copy of as much of a text as the turn has room for; null when there is none left. */
function take(turn: NotedTurn, text: string): string | null {
  if (turn.lengthLeft === 0) return null;
  const taken = copied(text.slice(0, turn.lengthLeft));
  turn.lengthLeft -= taken.length;
  return taken;
}
