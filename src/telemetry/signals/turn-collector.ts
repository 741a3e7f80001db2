/**
 * Turns as they pass by in telemetry, for agents that were told to send texts. A turn is held until the next one of its
 * session begins or the session ends, goes quiet or has to make room, and is then handed on to be measured and dropped.
 * Texts live here and nowhere else, for that long, and no more of them than the bounds allow.
 */
import { LIMITS } from '../../core/limits.ts';
import { copied } from '../copied.ts';
import type { SessionEvent } from '../session-event.ts';
import type { Texts } from '../texts.ts';
import type { ToolCall, Turn } from './turn.ts';

interface OpenTurn extends Turn {
  orgId: string;
  agentId: string | null;
  /** By their ids, for results that come apart from their calls, and for what is told twice. */
  callsById: Map<string, ToolCall>;
  lengthLeft: number;
  touchedAt: number;
}

export interface PassedTurn extends Turn {
  orgId: string;
  agentId: string | null;
}

export class TurnCollector {
  /** In the order in which they were last touched. */
  readonly #open = new Map<string, OpenTurn>();
  /** Of all texts that are held. */
  #length = 0;

  /** Answers with turns that are over by this. */
  add(orgId: string, event: SessionEvent, texts: Texts, now: number): PassedTurn[] {
    const key = `${orgId}\n${event.sessionId}`;
    const over: PassedTurn[] = [];
    let turn = this.#open.get(key);
    if (event.kind === 'prompt' && turn && turn.traceId !== traceIdOf(event)) {
      over.push(...this.#take(key));
      turn = undefined;
    }
    turn ??= beginTurn(orgId, event, now);
    this.#open.delete(key);
    this.#open.set(copied(key), turn);
    turn.touchedAt = now;
    const before = turn.lengthLeft;
    note(turn, event, texts);
    this.#length += before - turn.lengthLeft;
    while (this.#open.size > LIMITS.turnsOpenMax || this.#length > LIMITS.turnsTextLengthMax) {
      const [oldest = ''] = this.#open.keys();
      over.push(...this.#take(oldest));
    }
    return over;
  }

  /** The turn of a session that has ended, if one is open. */
  end(orgId: string, sessionId: string): PassedTurn[] {
    return this.#take(`${orgId}\n${sessionId}`);
  }

  /** Turns that nothing was added to since a time. */
  quietSince(time: number): PassedTurn[] {
    const quiet = [...this.#open].filter(([, { touchedAt }]) => touchedAt <= time);
    return quiet.flatMap(([key]) => this.#take(key));
  }

  #take(key: string): PassedTurn[] {
    const turn = this.#open.get(key);
    if (!turn) return [];
    this.#open.delete(key);
    this.#length -= LIMITS.turnTextLengthMax - turn.lengthLeft;
    return [turn];
  }
}

function beginTurn(orgId: string, event: SessionEvent, now: number): OpenTurn {
  return {
    orgId,
    agentId: copied(event.agent.name) || null,
    sessionId: copied(event.sessionId),
    traceId: traceIdOf(event),
    startedAt: event.at > 0 ? Math.floor(event.at) : null,
    request: null,
    answers: [],
    calls: [],
    tools: null,
    callsById: new Map(),
    lengthLeft: LIMITS.turnTextLengthMax,
    touchedAt: now,
  };
}

/** The id of the prompt, where it has one: the same turn sent again is the same trace. */
function traceIdOf({ kind, id, at }: SessionEvent): string {
  return kind === 'prompt' && id !== undefined ? keptId(id) : `turn-${Math.floor(at)}`;
}

/** A copy, and no longer than a name: senders choose ids, and may choose long ones. */
function keptId(id: string): string {
  return copied(id.slice(0, LIMITS.nameLengthMax));
}

function note(turn: OpenTurn, event: SessionEvent, texts: Texts): void {
  if (texts.prompt !== undefined) turn.request ??= take(turn, texts.prompt);
  if (texts.answer !== undefined) noteAnswer(turn, texts.answer);
  if (event.kind !== 'tool' || turn.calls.length >= LIMITS.turnCallsMax) return;
  const call = callOf(turn, event);
  if (texts.tool_input !== undefined) call.input ??= take(turn, texts.tool_input);
  if (texts.tool_result !== undefined) call.output ??= take(turn, texts.tool_result);
  if (event.ok !== undefined) call.ok = event.ok;
}

/** An answer that is told again, word for word and next to itself, was sent twice rather than said twice. */
function noteAnswer(turn: OpenTurn, answer: string): void {
  const { answers, lengthLeft } = turn;
  if (lengthLeft === 0 || answers.length >= LIMITS.turnAnswersMax || answers.at(-1) === answer) return;
  answers.push(take(turn, answer));
}

function callOf({ calls, callsById }: OpenTurn, { id, name = '' }: SessionEvent): ToolCall {
  const kept = id === undefined ? undefined : keptId(id);
  const known = kept === undefined ? undefined : callsById.get(kept);
  if (known) return known;
  const call: ToolCall = { name: copied(name), input: null, output: null, ok: null };
  calls.push(call);
  if (kept !== undefined) callsById.set(kept, call);
  return call;
}

/** A copy of as much of a text as the turn has room for. */
function take(turn: OpenTurn, text: string): string {
  const taken = copied(text.slice(0, turn.lengthLeft));
  turn.lengthLeft -= taken.length;
  return taken;
}
