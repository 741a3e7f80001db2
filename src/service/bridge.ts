/**
 * From a session to its agent's identity (SPEC §4). The event's id follows from the session, so that scoring it again
 * replaces what it said before; a revision that is taken already, by another node or before a crash, makes room for the next.
 */
import { sessionEventIdOf } from '../core/ids.ts';
import type { ReputationEvent, StoredVerdict } from '../store/store.ts';
import type { ServiceContext } from './context.ts';

const COMPOSITE_EVEN = 5;
const TOOLS_FULL = 20;
/** More than nodes that could have scored the same session at the same time. */
const ATTEMPTS = 10;

/** Nothing for a session that feeds no identity. `part` tells the events of one session apart. */
export async function bridgeSession(
  { store }: Pick<ServiceContext, 'store'>,
  orgId: string,
  { verdict, part, identityId }: { verdict: StoredVerdict; part: string; identityId: string | null },
): Promise<boolean> {
  if (identityId === null) return false;
  const event = toReputationEvent(verdict, { orgId, identityId, part });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const next = { ...event, revision: event.revision + attempt };
    if ((await store.identities.append(orgId, [next])).accepted > 0) return true;
  }
  return false;
}

export function toReputationEvent(
  verdict: StoredVerdict,
  { orgId, identityId, part }: { orgId: string; identityId: string; part: string },
): ReputationEvent {
  const { composite, tools } = verdict;
  return {
    eventId: sessionEventIdOf(orgId, verdict.sessionId, part),
    identityId,
    timestamp: Math.floor(verdict.endedAt || verdict.receivedAt),
    category: 'task_quality',
    eventType: 'session_scored',
    scoreDelta: (composite - COMPOSITE_EVEN) / COMPOSITE_EVEN,
    confidence: Math.min(1, tools / TOOLS_FULL),
    referenceType: 'session',
    referenceId: verdict.sessionId,
    attributes: { masque: verdict.masque, composite: String(composite) },
    revision: verdict.revision,
  };
}
