/**
 * Turns as they pass by in telemetry, for agents that were told to send texts. What spans tell belongs to the turn of their
 * trace, in whatever order they come: exporters send children before their parents. What logs tell belongs to the turn that
 * the last prompt of their session began. A turn is held until the session ends, goes quiet or has to make room, one of
 * logs until the next begins as well, and is then handed on to be measured and dropped. Texts live here and nowhere else,
 * for that long, and no more of them than the bounds allow.
 */
import { LIMITS } from '../../core/limits.ts';
import { copied } from '../copied.ts';
import type { SessionEvent } from '../session-event.ts';
import type { Texts } from '../texts.ts';
import { type NotedTurn, noteEvent, toTurn } from './noted-turn.ts';
import type { Turn } from './turn.ts';

interface OpenTurn extends NotedTurn {
  orgId: string;
  agentId: string | null;
  sessionId: string;
  traceId: string;
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
    const key = [orgId, event.sessionId, event.traceId ?? ''].join('\n');
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
    noteEvent(turn, event, texts);
    this.#length += before - turn.lengthLeft;
    while (this.#open.size > LIMITS.turnsOpenMax || this.#length > LIMITS.turnsTextLengthMax) {
      const [oldest = ''] = this.#open.keys();
      over.push(...this.#take(oldest));
    }
    return over;
  }

  /** The turns of a session that has ended. */
  end(orgId: string, sessionId: string): PassedTurn[] {
    return this.#takeWhere((turn) => turn.orgId === orgId && turn.sessionId === sessionId);
  }

  /** Turns that nothing was added to since a time. */
  quietSince(time: number): PassedTurn[] {
    return this.#takeWhere(({ touchedAt }) => touchedAt <= time);
  }

  #takeWhere(isOver: (turn: OpenTurn) => boolean): PassedTurn[] {
    const over = [...this.#open].filter(([, turn]) => isOver(turn));
    return over.flatMap(([key]) => this.#take(key));
  }

  #take(key: string): PassedTurn[] {
    const turn = this.#open.get(key);
    if (!turn) return [];
    this.#open.delete(key);
    this.#length -= LIMITS.turnTextLengthMax - turn.lengthLeft;
    const { orgId, agentId, sessionId, traceId } = turn;
    return [{ orgId, agentId, sessionId, traceId, ...toTurn(turn) }];
  }
}

function beginTurn(orgId: string, event: SessionEvent, now: number): OpenTurn {
  return {
    orgId,
    agentId: copied(event.agent.name) || null,
    sessionId: copied(event.sessionId),
    traceId: traceIdOf(event),
    startedAt: null,
    request: null,
    answers: [],
    calls: [],
    callsById: new Map(),
    lengthLeft: LIMITS.turnTextLengthMax,
    touchedAt: now,
  };
}

/** That of its spans, or else the id of the prompt, where it has one: the same turn sent again is the same trace. */
function traceIdOf({ kind, id, at, traceId }: SessionEvent): string {
  const known = traceId ?? (kind === 'prompt' ? id : undefined);
  return known === undefined ? `turn-${Math.floor(at)}` : copied(known.slice(0, LIMITS.nameLengthMax));
}
