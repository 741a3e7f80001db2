import { DOUBLE, type DuckDBConnection, INTEGER, UTINYINT, VARCHAR } from '@duckdb/node-api';
import { scoreIdentity } from '../../core/identity.ts';
import type { Identities, ReputationEvent } from '../store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { unknownCursor } from './cursor.ts';
import { type Fingerprints, fingerprintOf } from './fingerprints.ts';
import { CATEGORIES, type IdentityRuns, toCategory } from './identity-runs.ts';
import type { Names } from './names.ts';
import { query } from './query.ts';
import type { AppendTable, Transaction } from './transaction.ts';

export interface IdentityContext {
  reader: DuckDBConnection;
  queue: CommitQueue;
  /** Of events, whatever their revision. */
  fingerprints: Fingerprints;
  seed: number;
  names: Names;
  /** Identities with their orgs. */
  identities: Names;
  runs: IdentityRuns;
  /** The place of the next event. */
  arrival: { nextSeq: number };
}

// biome-ignore format: in the order of the columns, as the migration has them.
const REPUTATION_EVENTS: AppendTable = {
  name: 'reputation_events',
  types: [
    DOUBLE, DOUBLE, DOUBLE, INTEGER, VARCHAR, DOUBLE, UTINYINT, INTEGER, DOUBLE, DOUBLE, INTEGER, VARCHAR, VARCHAR,
    DOUBLE,
  ],
};

/** Filled where an event has revisions of several identities. */
const MOVED_EVENTS: AppendTable = {
  name: 'moved_events',
  types: [INTEGER, DOUBLE, DOUBLE, DOUBLE, INTEGER],
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

/** The highest revision of each event of one identity, unless another identity has a higher one. */
const LATEST = `FROM (
    SELECT * FROM reputation_events WHERE identity_no = $identityNo
    QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY revision DESC) = 1
  ) AS own WHERE NOT EXISTS (
    FROM moved_events AS moved
    WHERE moved.identity_no = $identityNo AND moved.first_seq = own.first_seq AND moved.revision > own.revision
  )`;

export function createIdentities(context: IdentityContext): Identities {
  const { reader, queue, identities, runs } = context;
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
      const identityNo = identities.numberOf(identityName(orgId, identityId));
      return scoreIdentity(await runs.read(identityNo, now), now);
    },
  };
}

/** Appends within a transaction of the caller's; restoring does so too. */
export async function appendEvents(
  transaction: Transaction,
  context: IdentityContext,
  { orgId, batch }: { orgId: string; batch: readonly ReputationEvent[] },
): Promise<() => { accepted: number; duplicates: string[] }> {
  const { names, identities, arrival } = context;
  const { fingerprints, events: known } = await knownEvents(transaction, context, { orgId, batch });
  const duplicates: string[] = [];
  for (const [i, event] of batch.entries()) {
    const found = known?.get(event.eventId);
    if (found?.revisions.some(({ revision }) => revision === event.revision)) {
      duplicates.push(event.eventId);
      continue;
    }
    const seq = arrival.nextSeq++;
    const firstSeq = found?.firstSeq ?? seq;
    const identityNo = identities.ensure(transaction, identityName(orgId, event.identityId)) as number;
    const own = { identityNo, revision: event.revision, timestamp: event.timestamp };
    if (found) {
      noteMoves(transaction, found, own);
      found.revisions.push(own);
    } else known?.set(event.eventId, { firstSeq, revisions: [own] });
    transaction.append(REPUTATION_EVENTS, [
      seq,
      firstSeq,
      fingerprints[i] as number,
      identityNo,
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
  return () => ({ accepted: batch.length - duplicates.length, duplicates });
}

interface Revision {
  identityNo: number;
  revision: number;
  timestamp: number;
}

/** An event that the ledger has in one or more revisions. */
interface KnownEvent {
  firstSeq: number;
  revisions: Revision[];
}

/** Lets each identity know of the revisions that others have of an event: now, so that no reading has to look for them. */
function noteMoves(transaction: Transaction, { firstSeq, revisions }: KnownEvent, fresh: Revision): void {
  const note = (identityNo: number, { revision, timestamp, identityNo: by }: Revision) =>
    transaction.append(MOVED_EVENTS, [identityNo, firstSeq, revision, timestamp, by]);
  const others = revisions.filter(({ identityNo }) => identityNo !== fresh.identityNo);
  for (const identityNo of new Set(others.map((other) => other.identityNo))) note(identityNo, fresh);
  // One that has had the event before knows of the others already.
  if (others.length === revisions.length) for (const other of others) note(fresh.identityNo, other);
}

/**
 * Which events of a batch are in the ledger; null where no fingerprint was met before, so that all are new. Only those
 * that were are looked for on disk, or in the same batch.
 */
async function knownEvents(
  transaction: Transaction,
  { fingerprints: ledger, seed, identities }: IdentityContext,
  { orgId, batch }: { orgId: string; batch: readonly ReputationEvent[] },
): Promise<{ fingerprints: Float64Array; events: Map<string, KnownEvent> | null }> {
  const fingerprints = new Float64Array(batch.length);
  const hits: number[] = [];
  batch.forEach(({ eventId }, i) => {
    const mark = fingerprintOf(`${orgId}\n${eventId}`, seed);
    fingerprints[i] = mark;
    if (!ledger.add(mark)) hits.push(mark);
  });
  if (hits.length === 0) return { fingerprints, events: null };
  const rows = await transaction.query<{
    identityNo: number;
    eventId: string;
    revision: number;
    timestamp: number;
    firstSeq: number;
  }>(
    `SELECT identity_no AS "identityNo", event_id AS "eventId", revision, timestamp, first_seq AS "firstSeq"
     FROM reputation_events WHERE fingerprint IN (${hits.join(', ')})`,
  );
  const events = new Map<string, KnownEvent>();
  for (const { eventId, firstSeq, ...revision } of rows) {
    if (!identities.textOf(revision.identityNo)?.startsWith(`${orgId}\n`)) continue;
    const event = events.get(eventId) ?? { firstSeq, revisions: [] };
    event.revisions.push(revision);
    events.set(eventId, event);
  }
  return { fingerprints, events };
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
