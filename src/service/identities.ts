/** Reputation events of identities. */
import { toPageRequest, toPageWire, toTime } from '../core/contract/fields.ts';
import { toIdentityWire } from '../core/contract/identity.ts';
import type { ReputationEventIn } from '../core/contract/reputation-event.ts';
import { type Category, scoreIdentity } from '../core/identity.ts';
import type { ReputationEvent } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';

export async function appendReputationEvents(
  { store, clock, newId }: ServiceContext,
  { orgId }: Caller,
  events: readonly ReputationEventIn[],
) {
  const now = clock();
  const batch = events.map(
    (event): ReputationEvent => ({
      eventId: event.event_id?.toLowerCase() ?? newId(),
      identityId: event.identity_id.toLowerCase(),
      timestamp: event.timestamp ?? now,
      category: event.category as Category,
      eventType: event.event_type,
      scoreDelta: event.score_delta,
      confidence: event.confidence ?? 1,
      referenceType: event.reference_type ?? '',
      referenceId: event.reference_id ?? '',
      attributes: event.attributes ?? {},
      revision: event.revision ?? 0,
    }),
  );
  // The score's own function refuses what no score could read, before any of it is stored.
  scoreIdentity(batch, now);
  return store.identities.append(orgId, batch);
}

export async function readIdentity({ store, clock }: ServiceContext, { orgId }: Caller, identityId: string) {
  const score = await store.identities.score(orgId, identityId.toLowerCase(), clock());
  return { identity_id: identityId.toLowerCase(), ...toIdentityWire(score) };
}

export async function listReputationEvents(
  { store }: ServiceContext,
  { orgId }: Caller,
  { identityId, ...query }: { identityId: string; cursor?: string | undefined; limit?: number | undefined },
) {
  const page = await store.identities.list(orgId, identityId.toLowerCase(), toPageRequest(query));
  return toPageWire(page, toEventWire);
}

function toEventWire(event: ReputationEvent) {
  return {
    event_id: event.eventId,
    identity_id: event.identityId,
    timestamp: toTime(event.timestamp),
    category: event.category,
    event_type: event.eventType,
    score_delta: event.scoreDelta,
    confidence: event.confidence,
    reference_type: event.referenceType,
    reference_id: event.referenceId,
    attributes: event.attributes,
    revision: event.revision,
  };
}
