/**
 * Turns as they pass by in telemetry, for agents that were told to send texts. A turn is held until the next one of its
 * session begins or the session ends, goes quiet or has to make room, and is then handed on to be measured and dropped.
 * Texts live here and nowhere else, for that long, and no more of them than the bounds allow.
 */
import { LIMITS } from '../../core/limits.ts';
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

  /** Answers with turns that are over by this. */
  add(orgId: string, event: SessionEvent, texts: Texts, now: number): PassedTurn[] {
    const key = `${orgId}\n${event.sessionId}`;
    const over: PassedTurn[] = [];
    let turn = this.#open.get(key);
    if (event.kind === 'prompt' && turn && turn.traceId !== traceIdOf(event)) {
      over.push(turn);
      turn = undefined;
    }
    turn ??= beginTurn(orgId, event, now);
    this.#open.delete(key);
    this.#open.set(key, turn);
    turn.touchedAt = now;
    note(turn, event, texts);
    if (this.#open.size > LIMITS.turnsOpenMax) over.push(...this.#takeOldest());
    return over;
  }

  /** The turn of a session that has ended, if one is open. */
  end(orgId: string, sessionId: string): PassedTurn[] {
    const key = `${orgId}\n${sessionId}`;
    const turn = this.#open.get(key);
    this.#open.delete(key);
    return turn ? [turn] : [];
  }

  /** Turns that nothing was added to since a time. */
  quietSince(time: number): PassedTurn[] {
    const quiet = [...this.#open].filter(([, { touchedAt }]) => touchedAt <= time);
    for (const [key] of quiet) this.#open.delete(key);
    return quiet.map(([, turn]) => turn);
  }

  #takeOldest(): PassedTurn[] {
    const [oldest] = this.#open;
    if (!oldest) return [];
    this.#open.delete(oldest[0]);
    return [oldest[1]];
  }
}

function beginTurn(orgId: string, event: SessionEvent, now: number): OpenTurn {
  return {
    orgId,
    agentId: event.agent.name || null,
    sessionId: event.sessionId,
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
  return kind === 'prompt' && id !== undefined ? id.slice(0, LIMITS.nameLengthMax) : `turn-${Math.floor(at)}`;
}

function note(turn: OpenTurn, event: SessionEvent, texts: Texts): void {
  if (texts.prompt !== undefined) turn.request ??= take(turn, texts.prompt);
  // An answer that is told again, word for word and next to itself, was sent twice rather than said twice.
  if (texts.answer !== undefined && turn.answers.at(-1) !== texts.answer) {
    turn.answers.push(take(turn, texts.answer));
  }
  if (event.kind !== 'tool' || turn.calls.length >= LIMITS.turnCallsMax) return;
  const call = callOf(turn, event);
  if (texts.tool_input !== undefined) call.input ??= take(turn, texts.tool_input);
  if (texts.tool_result !== undefined) call.output ??= take(turn, texts.tool_result);
  if (event.ok !== undefined) call.ok = event.ok;
}

function callOf({ calls, callsById }: OpenTurn, { id, name = '' }: SessionEvent): ToolCall {
  const known = id === undefined ? undefined : callsById.get(id);
  if (known) return known;
  const call: ToolCall = { name, input: null, output: null, ok: null };
  calls.push(call);
  if (id !== undefined) callsById.set(id, call);
  return call;
}

/** As much of a text as the turn has room for. */
function take(turn: OpenTurn, text: string): string {
  const taken = text.length > turn.lengthLeft ? text.slice(0, turn.lengthLeft) : text;
  turn.lengthLeft -= taken.length;
  return taken;
}
