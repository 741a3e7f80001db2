/** A reputation event as a row of the ledger, and back. */
import type { Category } from '../../core/identity.ts';
import { isUuid } from '../../core/ids.ts';
import { Issues } from '../../core/issues.ts';
import type { ReputationEvent } from '../store.ts';

/** As JSONEachRow has it. A DateTime64 takes whole milliseconds, whatever the server's time zone. */
export interface EventRow {
  event_id: string;
  timestamp: number;
  identity_id: string;
  category: string;
  event_type: string;
  score_delta: number;
  confidence: number;
  reference_type: string;
  reference_id: string;
  attributes: Readonly<Record<string, string>>;
  org_id: string;
  revision: number;
}

/** The range of DateTime64: the years 1900 to 2299. */
const TIME_RANGE = { min: -2_208_988_800_000, max: 10_413_791_999_999 };

/** Refuses what the columns cannot hold, before any of it is stored. */
export function checkEvents(batch: readonly ReputationEvent[]): void {
  const issues = new Issues();
  batch.forEach(({ eventId, identityId, timestamp }, i) => {
    if (!isUuid(eventId)) issues.add(`events[${i}].event_id`, 'must be a UUID');
    if (!isUuid(identityId)) issues.add(`events[${i}].identity_id`, 'must be a UUID');
    issues.whole(timestamp, `events[${i}].timestamp`, TIME_RANGE);
  });
  issues.throwIfAny();
}

export function toEventRow(orgId: string, event: ReputationEvent): EventRow {
  return {
    event_id: event.eventId.toLowerCase(),
    timestamp: event.timestamp,
    identity_id: event.identityId.toLowerCase(),
    category: event.category,
    event_type: event.eventType,
    score_delta: event.scoreDelta,
    confidence: event.confidence,
    reference_type: event.referenceType,
    reference_id: event.referenceId,
    attributes: event.attributes,
    org_id: orgId,
    revision: event.revision,
  };
}

/** Float32 is printed with as few digits as tell it apart, so 0.1 comes back as 0.1. */
export const EVENT_COLUMNS = `event_id, toFloat64(toUnixTimestamp64Milli(timestamp)) AS at, identity_id, category, event_type,
  score_delta, confidence, reference_type, reference_id, attributes, toFloat64(revision) AS revision`;

export type StoredEvent = Omit<EventRow, 'timestamp' | 'org_id'> & { at: number };

export function fromEventRow(row: StoredEvent): ReputationEvent {
  return {
    eventId: row.event_id,
    identityId: row.identity_id,
    timestamp: row.at,
    category: row.category as Category,
    eventType: row.event_type,
    scoreDelta: row.score_delta,
    confidence: row.confidence,
    referenceType: row.reference_type as ReputationEvent['referenceType'],
    referenceId: row.reference_id,
    attributes: row.attributes,
    revision: row.revision,
  };
}
