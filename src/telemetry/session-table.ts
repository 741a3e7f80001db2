/**
 * All sessions that were seen, told apart by their id even when they ran at the same time. Adding an event again, or in
 * another order, changes nothing: what is kept are converged values, and counters are made from them when asked.
 * A session in which two masques were worn, by the word of its records, has an entry for each.
 */
import {
  emptyHead,
  isBetterAgent,
  isBetterEntrypoint,
  joinHead,
  type SessionHead,
} from '../core/session-head.ts';
import { copied } from './copied.ts';
import { type ColumnPart, EventColumns, type EventRow } from './event-columns.ts';
import { Fingerprint } from './fingerprint.ts';
import { EVENT_KINDS, type EventKind, type SessionEvent } from './session-event.ts';
import { hasSoundNumbers } from './soundness.ts';

export interface SessionEntry extends SessionHead {
  readonly index: number;
}

/** A row of the columns on its own, as it is kept: with the name itself, and null for what is not known. */
export interface KeptReport extends Pick<EventRow, 'fingerprint' | 'kind' | 'outcome' | 'source' | 'at'> {
  name: string;
  amount: number | null;
  cost: number | null;
  tokens: readonly (number | null)[] | null;
}

const KIND_NUMBERS = Object.fromEntries(EVENT_KINDS.map((kind, i) => [kind, i])) as Record<EventKind, number>;

export class SessionTable {
  readonly sessions: SessionEntry[] = [];
  /** The names of tools, models and metrics; the first is none. */
  readonly names: string[] = [''];
  readonly events = new EventColumns((a, b) => firstName(this.names, a, b));
  readonly #bySession = new Map<string, SessionEntry>();
  readonly #nameNumbers = new Map<string, number>([['', 0]]);
  readonly #seeds: Fingerprint[] = [];
  readonly #fingerprint = new Fingerprint();

  add(event: SessionEvent): void {
    const entry = this.#entryOf(event.sessionId, event.masque);
    describe(entry, event);
    if (event.kind === 'other') return;
    this.events.add({
      fingerprint: this.#fingerprintOf(entry, event),
      session: entry.index,
      kind: KIND_NUMBERS[event.kind],
      outcome: event.ok === undefined ? 0 : event.ok ? 1 : 2,
      source: event.secondary ? 1 : 0,
      name: this.#numberOf(event.name ?? ''),
      at: event.at,
      amount: event.amount ?? Number.NaN,
      cost: event.costUsd ?? Number.NaN,
      tokens: event.tokens
        ? [
            event.tokens.input,
            event.tokens.output,
            event.tokens.cacheRead ?? Number.NaN,
            event.tokens.cacheWrite ?? Number.NaN,
          ]
        : null,
    });
  }

  /** Everything it knows, metadata only: what has a name as JSON, and the columns as bytes. */
  toParts(): { described: string; columns: Uint8Array[] } {
    const described = { sessions: this.sessions, names: this.names, count: this.events.count };
    return { described: JSON.stringify(described), columns: this.events.toParts() };
  }

  static fromParts({
    described,
    columns,
  }: {
    described: string;
    columns: readonly ColumnPart[];
  }): SessionTable {
    const { sessions, names, count } = JSON.parse(described) as {
      sessions: SessionEntry[];
      names: string[];
      count: number;
    };
    const table = new SessionTable();
    for (const entry of sessions) table.#keep(entry, keyOf(entry.sessionId, entry.masque));
    for (const name of names) table.#numberOf(name);
    table.events.fillFrom(columns, count);
    return table;
  }

  /** Adds all that another table knows. */
  merge(other: SessionTable): void {
    for (const entry of other.sessions) joinHead(this.#entryOf(entry.sessionId, entry.masque), entry);
    const sessions = other.sessions.map((entry) => this.#entryOf(entry.sessionId, entry.masque).index);
    const names = other.names.map((name) => this.#numberOf(name));
    for (let row = 0; row < other.events.count; row++) {
      const event = other.events.row(row);
      this.events.add({
        ...event,
        session: sessions[event.session] as number,
        name: names[event.name] as number,
      });
    }
  }

  /**
   * Adds what a ledger has kept of a session: its head, and reports of its events. A report with a number that no door lets
   * in today is passed over, because it would spoil all the others.
   */
  addKept(head: Readonly<SessionHead>, reports: readonly KeptReport[]): void {
    const entry = this.#entryOf(head.sessionId, head.masque);
    joinHead(entry, head);
    for (const { amount, cost, tokens, name, ...report } of reports) {
      if (!hasSoundNumbers({ at: report.at, amount, cost, tokens })) continue;
      this.events.add({
        ...report,
        session: entry.index,
        name: this.#numberOf(name),
        amount: amount ?? Number.NaN,
        cost: cost ?? Number.NaN,
        tokens: tokens === null ? null : tokens.map((count) => count ?? Number.NaN),
      });
    }
  }

  #entryOf(sessionId: string, masque: string): SessionEntry {
    const key = keyOf(sessionId, masque);
    const known = this.#bySession.get(key);
    if (known) return known;
    const entry = { index: this.sessions.length, ...emptyHead(copied(sessionId), copied(masque)) };
    this.#keep(entry, copied(key));
    return entry;
  }

  #keep(entry: SessionEntry, key: string): void {
    this.sessions.push(entry);
    this.#bySession.set(key, entry);
  }

  /** What all fingerprints of a session begin with. */
  #seedOf({ index, sessionId, masque }: SessionEntry): Fingerprint {
    const seed = this.#seeds[index] ?? new Fingerprint().add(sessionId).add(masque);
    this.#seeds[index] = seed;
    return seed;
  }

  #fingerprintOf(entry: SessionEntry, event: SessionEvent): number {
    return this.#fingerprint
      .from(this.#seedOf(entry))
      .add(event.kind)
      .add(event.id ?? contentOf(event)).value;
  }

  #numberOf(name: string): number {
    const known = this.#nameNumbers.get(name);
    if (known !== undefined) return known;
    const number = this.names.length;
    const kept = copied(name);
    this.names.push(kept);
    this.#nameNumbers.set(kept, number);
    return number;
  }
}

function keyOf(sessionId: string, masque: string): string {
  return masque === '' ? sessionId : `${sessionId}\n${masque}`;
}

/** Of two names for one tool or model the first in the alphabet, and any before none. */
function firstName(names: readonly string[], a: number, b: number): number {
  if (a === 0 || b === 0) return a || b;
  return (names[a] as string) <= (names[b] as string) ? a : b;
}

/** An event without an id of its own is what it says: two that say the same at the same moment are one. */
function contentOf({ at, name, ok, amount, tokens, costUsd, mark }: SessionEvent): string {
  return [at, name, ok, amount, tokens && Object.values(tokens).join(), costUsd, mark].join('|');
}

function describe(entry: SessionEntry, event: SessionEvent): void {
  if (event.at > 0) {
    if (entry.firstAt === 0 || event.since < entry.firstAt) entry.firstAt = event.since;
    if (event.at > entry.lastAt) entry.lastAt = event.at;
  }
  const { name, rank } = event.agent;
  if (isBetterAgent(entry, name, rank)) {
    entry.agent = copied(name);
    entry.agentRank = rank;
  }
  if (!entry.dialects.includes(event.dialect)) entry.dialects = [...entry.dialects, event.dialect].sort();
  if (isBetterEntrypoint(entry, event.entrypoint)) entry.entrypoint = copied(event.entrypoint);
  if (event.kind === 'end') entry.ended = true;
  if (event.detailed) entry.detailed = true;
}
