import { DOUBLE, type DuckDBConnection, UTINYINT, VARCHAR } from '@duckdb/node-api';
import { RenownError } from '../../core/errors.ts';
import { type Category, type IdentityEvent, scoreIdentity } from '../../core/identity.ts';
import type { Identities, ReputationEvent } from '../store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { type Fingerprints, fingerprintOf } from './fingerprints.ts';
import { query } from './query.ts';
import type { AppendTable, Row, Transaction } from './transaction.ts';

export interface IdentityContext {
  reader: DuckDBConnection;
  queue: CommitQueue;
  /** Of events with their revision. */
  fingerprints: Fingerprints;
  seed: number;
}

const CATEGORIES: readonly Category[] = ['task_quality', 'economic', 'identity_hygiene'];

const REPUTATION_EVENTS: AppendTable = {
  name: 'reputation_events',
  types: [
    DOUBLE,
    VARCHAR,
    VARCHAR,
    VARCHAR,
    DOUBLE,
    UTINYINT,
    VARCHAR,
    DOUBLE,
    DOUBLE,
    VARCHAR,
    VARCHAR,
    VARCHAR,
    DOUBLE,
  ],
};

export const EVENT_COLUMNS = `event_id AS "eventId", identity_id AS "identityId", timestamp AS timestamp, category,
  event_type AS "eventType", score_delta AS "scoreDelta", confidence, reference_type AS "referenceType",
  reference_id AS "referenceId", attributes, revision AS revision`;

export interface EventRow extends Omit<ReputationEvent, 'category' | 'attributes'> {
  category: number;
  attributes: string;
}

function toEventRow(orgId: string, event: ReputationEvent, seed: number): Row {
  return [
    eventFingerprint(orgId, event, seed),
    event.eventId,
    orgId,
    event.identityId,
    event.timestamp,
    CATEGORIES.indexOf(event.category),
    event.eventType,
    event.scoreDelta,
    event.confidence,
    event.referenceType,
    event.referenceId,
    JSON.stringify(event.attributes),
    event.revision,
  ];
}

export function fromEventRow(row: EventRow): ReputationEvent {
  return { ...row, category: toCategory(row.category), attributes: JSON.parse(row.attributes) };
}

/** The highest revision of each event of one identity. */
const LATEST = `FROM reputation_events WHERE org_id = $orgId AND identity_id = $identityId
  QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY revision DESC) = 1`;

export function createIdentities(context: IdentityContext): Identities {
  const { reader, queue } = context;
  return {
    append: (orgId, batch) =>
      queue.write((transaction) => appendEvents(transaction, context, { orgId, batch })),

    async list(orgId, identityId, { cursor, limit }) {
      const after = cursor == null ? null : parseCursor(cursor);
      const rows = await query<EventRow>(
        reader,
        `SELECT ${EVENT_COLUMNS} FROM (SELECT * ${LATEST})
         ${after ? 'WHERE timestamp < $timestamp OR (timestamp = $timestamp AND event_id < $eventId)' : ''}
         ORDER BY timestamp DESC, event_id DESC LIMIT ${limit + 1}`,
        { orgId, identityId, ...after },
      );
      const items = rows.slice(0, limit).map(fromEventRow);
      const last = items.at(-1);
      return { items, nextCursor: last && rows.length > limit ? `${last.timestamp}:${last.eventId}` : null };
    },

    async score(orgId, identityId, now) {
      const rows = await query<{ timestamp: number; category: number; scoreDelta: number }>(
        reader,
        `SELECT timestamp AS timestamp, category, score_delta AS "scoreDelta" FROM (SELECT * ${LATEST})`,
        { orgId, identityId },
      );
      const events = rows.map((row): IdentityEvent => ({ ...row, category: toCategory(row.category) }));
      return scoreIdentity(events, now);
    },
  };
}

/** Appends within a transaction of the caller's; restoring does so too. */
export async function appendEvents(
  transaction: Transaction,
  { fingerprints, seed }: IdentityContext,
  { orgId, batch }: { orgId: string; batch: readonly ReputationEvent[] },
): Promise<() => { accepted: number; duplicates: string[] }> {
  const hits = batch
    .map((event) => eventFingerprint(orgId, event, seed))
    .filter((hit) => fingerprints.has(hit));
  const rows =
    hits.length === 0
      ? []
      : await transaction.query<{ eventId: string; revision: number }>(
          `SELECT event_id AS "eventId", revision AS revision FROM reputation_events
           WHERE fingerprint IN (${hits.join(', ')}) AND org_id = $orgId`,
          { orgId },
        );
  const known = new Set(rows.map((row) => eventKey(orgId, row)));
  const duplicates: string[] = [];
  const fresh: ReputationEvent[] = [];
  for (const event of batch) {
    const key = eventKey(orgId, event);
    if (known.has(key) || transaction.claimed.has(key)) {
      duplicates.push(event.eventId);
      continue;
    }
    transaction.claimed.add(key);
    transaction.append(REPUTATION_EVENTS, toEventRow(orgId, event, seed));
    fresh.push(event);
  }
  return () => {
    for (const event of fresh) fingerprints.add(eventFingerprint(orgId, event, seed));
    return { accepted: fresh.length, duplicates };
  };
}

function toCategory(position: number): Category {
  const category = CATEGORIES[position];
  if (!category)
    throw new RenownError('corrupt_data', `The ledger holds a category ${position} that there is not.`);
  return category;
}

function eventKey(orgId: string, { eventId, revision }: { eventId: string; revision: number }): string {
  return `${orgId}\n${eventId}\n${revision}`;
}

function eventFingerprint(orgId: string, event: ReputationEvent, seed: number): number {
  return fingerprintOf(eventKey(orgId, event), seed);
}

function parseCursor(cursor: string): { timestamp: number; eventId: string } {
  const [, timestamp, eventId] = /^(-?\d{1,16}):(.+)$/s.exec(cursor) ?? [];
  if (timestamp === undefined || eventId === undefined) {
    throw new RenownError('invalid_request', 'The cursor is none that this list gave out.');
  }
  return { timestamp: Number(timestamp), eventId };
}
