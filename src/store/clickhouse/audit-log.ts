import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../store.ts';
import type { Arrival } from './arrival.ts';
import type { AuditRow } from './audit-rows.ts';
import type { Outbox } from './outbox.ts';

/**
 * Writes entries. One that belongs to a change is written right after it: there is no transaction over two tables, so a node
 * that dies in between leaves the change without its entry.
 */
export class AuditLog {
  readonly #outbox: Outbox;
  /** Of its own, so that an entry takes no place among the evaluations. */
  readonly #arrival: Arrival;

  constructor(outbox: Outbox, arrival: Arrival) {
    this.#outbox = outbox;
    this.#arrival = arrival;
  }

  async write(orgId: string, entry: AuditEntry | undefined): Promise<void> {
    if (entry) await this.send([this.toRow(orgId, entry)]);
  }

  send(rows: readonly AuditRow[]): Promise<void> {
    return this.#outbox.send({ table: 'audit', token: randomUUID(), rows: [...rows] });
  }

  toRow(orgId: string, { auditId, ...same }: AuditEntry): AuditRow {
    const { at: recordedAt, place } = this.#arrival.next();
    return { org_id: orgId, recorded_at: recordedAt, place, audit_id: auditId, ...same };
  }
}
