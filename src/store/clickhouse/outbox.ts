/**
 * The way of facts to the server, or to the spool while it is away. As long as anything waits in the spool, what comes
 * after it waits there too, so that the order of arrival stays.
 */
import { createHash } from 'node:crypto';
import { LIMITS } from '../../core/limits.ts';
import type { Spool } from '../spool.ts';
import type { AuditRow } from './audit-rows.ts';
import type { Connection } from './connection.ts';
import { isAway } from './errors.ts';
import type { EvaluationRow } from './evaluation-rows.ts';
import type { EventRow } from './event-rows.ts';
import { evaluationKey, markRevised, placesOf, revisionKey, revisionsOf } from './known.ts';
import type { WriteQueue } from './write-queue.ts';

/** One insert with its token: sent again, it is taken once. */
export type Delivery =
  | { table: 'evaluations'; token: string; rows: EvaluationRow[] }
  | { table: 'reputation_events'; token: string; rows: EventRow[] }
  | { table: 'audit'; token: string; rows: AuditRow[] };

type Waiting = Record<'evaluations' | 'reputation_events', Set<string>>;

function note(waiting: Waiting, { table, rows }: Delivery): void {
  if (table === 'evaluations') for (const row of rows) waiting[table].add(evaluationKey(row));
  if (table === 'reputation_events') for (const row of rows) waiting[table].add(revisionKey(row));
}

export class Outbox {
  readonly #connection: Connection;
  readonly #spool: Spool<Delivery>;
  readonly #queue: WriteQueue;
  /** What waits, by its ids, as far as it was read; null before the first look at what an earlier process left. */
  #waiting: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(connection: Connection, spool: Spool<Delivery>, queue: WriteQueue) {
    this.#connection = connection;
    this.#spool = spool;
    this.#queue = queue;
  }

  /** Whether facts wait for the server, and the node answers from what it knows. */
  get isWaiting(): boolean {
    return !this.#spool.isEmpty;
  }

  /** Resolves when the rows are on the server, or on this node's disk. */
  async send(delivery: Delivery): Promise<void> {
    if (delivery.rows.length === 0) return;
    if (!this.isWaiting) {
      try {
        await this.#connection.insert(delivery.table, delivery.rows, delivery.token);
        return;
      } catch (error) {
        if (!isAway(error)) throw error;
      }
    }
    await this.#spool.append(delivery);
    if (this.#waiting) note(this.#waiting, delivery);
    this.#tryLater();
  }

  /** Those of these keys that wait: of evaluations org and id on two lines, of events as `revisionKey` has them. */
  async waitingOf(table: keyof Waiting, keys: readonly string[]): Promise<Set<string>> {
    const waiting = this.#waiting ?? (await this.#readWaiting());
    return new Set(keys.filter((key) => waiting[table].has(key)));
  }

  async #readWaiting(): Promise<Waiting> {
    const waiting: Waiting = { evaluations: new Set(), reputation_events: new Set() };
    for await (const delivery of this.#spool.records()) note(waiting, delivery);
    this.#waiting = waiting;
    return waiting;
  }

  /** Sends what waits, oldest first; throws when the server is away still. */
  async drain(): Promise<void> {
    while (this.isWaiting) {
      const { count, delivery } = await this.#nextGroup();
      await this.#connection.insert(delivery.table, await this.#withoutKnown(delivery), delivery.token);
      await this.#spool.shift(count);
    }
    this.#waiting = null;
  }

  /** The oldest deliveries to one table, as one: an insert costs about the same whatever is in it. */
  async #nextGroup(): Promise<{ count: number; delivery: Delivery }> {
    const group: Delivery[] = [];
    let rows = 0;
    for await (const delivery of this.#spool.records()) {
      rows += delivery.rows.length;
      const fits = rows <= LIMITS.commitRowsMax && delivery.table === group[0]?.table;
      if (group.length > 0 && !fits) break;
      group.push(delivery);
    }
    const tokens = group.map(({ token }) => token).join(' ');
    const token = group.length === 1 ? tokens : createHash('sha256').update(tokens).digest('hex');
    const delivery = { ...group[0], token, rows: group.flatMap((one): object[] => one.rows) } as Delivery;
    return { count: group.length, delivery };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#spool.close();
  }

  #tryLater(): void {
    if (this.#timer || this.#closed) return;
    this.#timer = setTimeout(() => this.#tryNow(), LIMITS.spoolRetryMs);
    this.#timer.unref();
  }

  async #tryNow(): Promise<void> {
    // A look first, because the writes of this node wait while it drains: the last of the spool must be down before one
    // goes past it.
    if (await this.#connection.isThere()) await this.#queue.run(() => this.drain()).catch(() => undefined);
    this.#timer = null;
    if (this.isWaiting) this.#tryLater();
  }

  /**
   * Leaves out what another node has taken in the meantime. An evaluation that is there from an earlier attempt of this
   * node, at the same place, is sent again: it is the same row, and views that were cut off are completed.
   */
  async #withoutKnown(delivery: Delivery): Promise<readonly object[]> {
    if (delivery.table === 'evaluations') {
      const known = await placesOf(this.#connection, delivery.rows);
      return delivery.rows.filter((row) => {
        const place = known.get(evaluationKey(row));
        return !place || (place.at === row.received_at && place.place === row.place);
      });
    }
    if (delivery.table === 'reputation_events') {
      const known = await revisionsOf(this.#connection, delivery.rows);
      if (known.size > 0) await markRevised(this.#connection, delivery.rows);
      return delivery.rows.filter((row) => !known.has(revisionKey(row)));
    }
    return delivery.rows;
  }
}
