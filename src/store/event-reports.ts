/** Reports of events, between the columns in which they arrive and the rows in which they are kept and shown. */
import { emptyHead, joinHead, type SessionHead } from '../core/session-head.ts';
import type { EventReport, StoredHead, Telemetry } from './telemetry-port.ts';

const doubles = new Float64Array(1);
const halves = new Uint32Array(doubles.buffer);

/**
 * 53 bits of all that a report says, as a number: two that say the same have the same one, and are kept once where that
 * can be seen cheaply. The name counts by its characters, so that it does not matter which number it has in a delivery.
 */
export class ReportMark {
  #low = 0;
  #high = 0;

  start(): this {
    this.#low = 0x9e3779b9 | 0;
    this.#high = 0x85ebca6b | 0;
    return this;
  }

  number(value: number): this {
    // All that are no number are one; their bits need not be.
    doubles[0] = Number.isNaN(value) ? Number.NaN : value;
    this.#mix(halves[0] as number);
    this.#mix(halves[1] as number);
    return this;
  }

  text(value: string): this {
    for (let i = 0; i < value.length; i++) this.#mix(value.charCodeAt(i));
    this.#mix(value.length);
    return this;
  }

  get value(): number {
    const [low, high] = [this.#low, this.#high];
    const a = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
    const b = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
    return 4_294_967_296 * (2_097_151 & b) + (a >>> 0);
  }

  #mix(unit: number): void {
    this.#low = Math.imul(this.#low ^ unit, 2_654_435_761);
    this.#low ^= this.#low >>> 15;
    this.#high = Math.imul(this.#high ^ unit, 1_597_334_677);
    this.#high ^= this.#high >>> 13;
  }
}

const mark = new ReportMark();

export function markOf(report: EventReport): number {
  const { fingerprint, kind, outcome, source, name, at, amount, cost, tokens } = report;
  mark.start().number(fingerprint).number(kind).number(outcome).number(source).text(name).number(at);
  mark.number(amount ?? Number.NaN).number(cost ?? Number.NaN);
  for (let i = 0; i < 4; i++) mark.number(tokens?.[i] ?? Number.NaN);
  return mark.value;
}

/** The rows of a delivery, with the session that each belongs to. */
export function* reportsIn({ sessions, names, events }: Telemetry): Generator<{
  head: Readonly<SessionHead>;
  report: EventReport;
}> {
  const { columns } = events;
  for (let row = 0; row < events.count; row++) {
    const tokens = [0, 1, 2, 3].map((which) => orNull(events.token(row, which)));
    yield {
      head: sessions[columns.session[row] as number] as SessionHead,
      report: {
        fingerprint: columns.fingerprint[row] as number,
        kind: columns.kind[row] as number,
        outcome: columns.outcome[row] as number,
        source: columns.source[row] as number,
        name: names[columns.name[row] as number] as string,
        at: columns.at[row] as number,
        amount: orNull(columns.amount[row] as number),
        cost: orNull(columns.cost[row] as number),
        tokens: tokens.every((count) => count === null) ? null : tokens,
      },
    };
  }
}

/** Rows as they would arrive, all of them of one session. */
export function toColumns(reports: readonly EventReport[]): Pick<Telemetry, 'names' | 'events'> {
  const column = (read: (report: EventReport) => number) => Float64Array.from(reports, read);
  const names = [...new Set(reports.map(({ name }) => name))];
  const numbers = new Map(names.map((name, i) => [name, i]));
  return {
    names,
    events: {
      count: reports.length,
      columns: {
        session: new Uint8Array(reports.length),
        name: column(({ name }) => numbers.get(name) as number),
        fingerprint: column(({ fingerprint }) => fingerprint),
        kind: column(({ kind }) => kind),
        outcome: column(({ outcome }) => outcome),
        source: column(({ source }) => source),
        at: column(({ at }) => at),
        amount: column(({ amount }) => amount ?? Number.NaN),
        cost: column(({ cost }) => cost ?? Number.NaN),
      },
      token: (row, which) => reports[row]?.tokens?.[which] ?? Number.NaN,
    },
  };
}

export function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** By fingerprint, and then in an order that says nothing but is always the same. */
export function inOrder(events: EventReport[]): EventReport[] {
  return events.sort((a, b) => a.fingerprint - b.fingerprint || markOf(a) - markOf(b));
}

/** Several reports on sessions as a whole, joined: one for each session and masque, in their order. */
export function joinHeads(heads: readonly Readonly<StoredHead>[]): StoredHead[] {
  const joined = new Map<string, StoredHead>();
  for (const head of heads) {
    const key = `${head.sessionId}\n${head.masque}`;
    const known = joined.get(key) ?? { ...emptyHead(head.sessionId, head.masque), receivedAt: 0 };
    joinHead(known, head);
    known.receivedAt = Math.max(known.receivedAt, head.receivedAt);
    joined.set(key, known);
  }
  return [...joined].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, head]) => head);
}

/** Whether a head says nothing that is not known. */
export function isKnownHead(known: Readonly<StoredHead> | undefined, head: Readonly<StoredHead>): boolean {
  if (!known) return false;
  const [joined] = joinHeads([known, head]);
  return JSON.stringify(joined) === JSON.stringify(known);
}
