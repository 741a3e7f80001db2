import { DOUBLE, type DuckDBConnection, INTEGER, UTINYINT, VARCHAR } from '@duckdb/node-api';
import { RenownError } from '../../core/errors.ts';
import { type Category, type IdentityEvent, scoreIdentity } from '../../core/identity.ts';
import type { Identities, ReputationEvent } from '../store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { unknownCursor } from './cursor.ts';
import { type Fingerprints, fingerprintOf } from './fingerprints.ts';
import type { Names } from './names.ts';
import { query } from './query.ts';
import type { AppendTable, Transaction } from './transaction.ts';

export interface IdentityContext {
  reader: DuckDBConnection;
  queue: CommitQueue;
  /** Of events with their revision. */
  fingerprints: Fingerprints;
  seed: number;
  names: Names;
  /** Identities with their orgs. */
  identities: Names;
}

const CATEGORIES: readonly Category[] = ['task_quality', 'economic', 'identity_hygiene'];

// biome-ignore format: in the order of the columns, as the migration has them.
const REPUTATION_EVENTS: AppendTable = {
  name: 'reputation_events',
  types: [
    DOUBLE, INTEGER, VARCHAR, DOUBLE, UTINYINT, INTEGER, DOUBLE, DOUBLE, INTEGER, VARCHAR, VARCHAR, DOUBLE,
  ],
};

export const EVENT_COLUMNS = `identity_no AS "identityNo", event_id AS "eventId", timestamp, category,
  event_type_no AS "eventTypeNo", score_delta AS "scoreDelta", confidence, reference_type_no AS "referenceTypeNo",
  reference_id AS "referenceId", attributes, revision`;

type Same = 'eventId' | 'timestamp' | 'scoreDelta' | 'confidence' | 'referenceId' | 'revision';

export interface EventRow extends Pick<ReputationEvent, Same> {
  identityNo: number;
  category: number;
  eventTypeNo: number;
  referenceTypeNo: number;
  attributes: string | null;
}

/** An event with its org, as it stands in the ledger. */
export function fromEventRow(
  row: EventRow,
  { names, identities }: IdentityContext,
): { orgId: string; row: ReputationEvent } {
  const { identityNo, eventTypeNo, referenceTypeNo, attributes, ...same } = row;
  const [orgId = '', identityId = ''] = (identities.textOf(identityNo) ?? '').split('\n');
  return {
    orgId,
    row: {
      ...same,
      identityId,
      category: toCategory(row.category),
      eventType: names.textOf(eventTypeNo) ?? '',
      referenceType: (names.textOf(referenceTypeNo) ?? '') as ReputationEvent['referenceType'],
      attributes: attributes === null ? {} : JSON.parse(attributes),
    },
  };
}

/** The highest revision of each event of one identity. */
const LATEST = `FROM reputation_events WHERE identity_no = $identityNo
  QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY revision DESC) = 1`;

export function createIdentities(context: IdentityContext): Identities {
  const { reader, queue, identities } = context;
  return {
    append: (orgId, batch) =>
      queue.write((transaction) => appendEvents(transaction, context, { orgId, batch }), batch.length),

    async list(orgId, identityId, { cursor, limit }) {
      const after = cursor == null ? null : parseCursor(cursor);
      const rows = await query<EventRow>(
        reader,
        `SELECT ${EVENT_COLUMNS} FROM (SELECT * ${LATEST})
         ${after ? 'WHERE timestamp < $timestamp OR (timestamp = $timestamp AND event_id < $eventId)' : ''}
         ORDER BY timestamp DESC, event_id DESC LIMIT ${limit + 1}`,
        { identityNo: identities.numberOf(identityName(orgId, identityId)), ...after },
      );
      const items = rows.slice(0, limit).map((row) => fromEventRow(row, context).row);
      const last = items.at(-1);
      return { items, nextCursor: last && rows.length > limit ? `${last.timestamp}:${last.eventId}` : null };
    },

    async score(orgId, identityId, now) {
      const rows = await query<Revision>(
        reader,
        `SELECT event_id AS "eventId", revision, timestamp, category, score_delta AS "scoreDelta"
         FROM reputation_events WHERE identity_no = $identityNo`,
        { identityNo: identities.numberOf(identityName(orgId, identityId)) },
      );
      return scoreIdentity(toLatest(rows), now);
    },
  };
}

interface Revision {
  eventId: string;
  revision: number;
  timestamp: number;
  category: number;
  scoreDelta: number;
}

/** The highest revision of each event. Picked here and not in SQL, where it takes ten times as long. */
function toLatest(rows: readonly Revision[]): IdentityEvent[] {
  const latest = new Map<string, Revision>();
  for (const row of rows) {
    const known = latest.get(row.eventId);
    if (!known || row.revision > known.revision) latest.set(row.eventId, row);
  }
  return Array.from(latest.values(), ({ timestamp, category, scoreDelta }) => ({
    timestamp,
    category: toCategory(category),
    scoreDelta,
  }));
}

/** Appends within a transaction of the caller's; restoring does so too. */
export async function appendEvents(
  transaction: Transaction,
  { fingerprints, seed, names, identities }: IdentityContext,
  { orgId, batch }: { orgId: string; batch: readonly ReputationEvent[] },
): Promise<() => { accepted: number; duplicates: string[] }> {
  const claims = batch.map((event) => eventKey(orgId, event));
  const marks = claims.map((claim) => fingerprintOf(claim, seed));
  const hits = marks.filter((mark, i) => fingerprints.has(mark) || transaction.mayHold(claims[i] as string));
  const known = await knownEvents(transaction, identities, hits);
  const duplicates: string[] = [];
  const fresh: number[] = [];
  for (const [i, event] of batch.entries()) {
    const claim = claims[i] as string;
    const mark = marks[i] as number;
    if (known.has(claim)) {
      duplicates.push(event.eventId);
      continue;
    }
    known.add(claim);
    transaction.claim(claim);
    fresh.push(mark);
    transaction.append(REPUTATION_EVENTS, [
      mark,
      identities.ensure(transaction, identityName(orgId, event.identityId)),
      event.eventId,
      event.timestamp,
      CATEGORIES.indexOf(event.category),
      names.ensure(transaction, event.eventType),
      event.scoreDelta,
      event.confidence,
      names.ensure(transaction, event.referenceType),
      event.referenceId,
      Object.keys(event.attributes).length === 0 ? null : JSON.stringify(event.attributes),
      event.revision,
    ]);
  }
  return () => {
    for (const mark of fresh) fingerprints.add(mark);
    return { accepted: fresh.length, duplicates };
  };
}

/** Which of the events with these fingerprints are in the ledger, as their keys. */
async function knownEvents(
  transaction: Transaction,
  identities: Names,
  hits: readonly number[],
): Promise<Set<string>> {
  if (hits.length === 0) return new Set();
  const rows = await transaction.query<{ identityNo: number; eventId: string; revision: number }>(
    `SELECT identity_no AS "identityNo", event_id AS "eventId", revision FROM reputation_events
     WHERE fingerprint IN (${hits.join(', ')})`,
  );
  return new Set(
    rows.map(({ identityNo, ...event }) =>
      eventKey(identities.textOf(identityNo)?.split('\n')[0] ?? '', event),
    ),
  );
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

/** An identity within all orgs; no org id has a line break in it. */
export function identityName(orgId: string, identityId: string): string {
  return `${orgId}\n${identityId}`;
}

function parseCursor(cursor: string): { timestamp: number; eventId: string } {
  const [, timestamp, eventId] = /^(-?\d{1,16}):(.+)$/s.exec(cursor) ?? [];
  if (timestamp === undefined || eventId === undefined) {
    throw unknownCursor();
  }
  return { timestamp: Number(timestamp), eventId };
}
