/** The ids that are derived rather than drawn, and what an id of an agent may be. */

import { CLIENT_LIMITS } from './client-limits.ts';
import { RenownError } from './errors.ts';
import { Issues } from './issues.ts';
import { sha1 } from './sha1.ts';

/** The fixed namespace of every UUIDv5 that Renown derives. Changing it would orphan every identity. */
const RENOWN_NAMESPACE = 'b2d1c7e4-6f0a-5c3b-9e8d-4a7f10c5d236';

/** The identity of an agent whose caller brings none: the same for the same org and agent, on every node, forever. */
export function identityIdOf(orgId: string, agentId: string): string {
  // Without line breaks and lone surrogates, no two pairs of names come to the same text.
  const issues = new Issues();
  checkAgentId(orgId, 'org_id', issues);
  checkAgentId(agentId, 'agent_id', issues);
  issues.throwIfAny();
  return uuidV5(RENOWN_NAMESPACE, `${orgId}\n${agentId}`);
}

/**
 * The id of the reputation event by which a session feeds its identity: the same however often it is scored. Where several
 * masques were worn, `part` tells the events of the others from that of the session itself.
 */
export function sessionEventIdOf(orgId: string, sessionId: string, part: string): string {
  const suffix = part === '' ? '' : `\n${part}`;
  return uuidV5(RENOWN_NAMESPACE, `session\n${orgId}\n${sessionId}${suffix}`);
}

/**
 * The id of what a monitor does at one of its moments: the same on every node, and in the order of time among ids drawn
 * as UUIDv7. RFC 9562 §5.8: 48 bits of time, the rest from a hash.
 */
export function tickIdOf(monitorId: string, tick: number): string {
  const time = Math.trunc(tick).toString(16).padStart(12, '0');
  const hash = uuidV5(RENOWN_NAMESPACE, `${monitorId}\n${tick}`);
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hash.slice(15)}`;
}

/** RFC 9562 §5.5: a name in a namespace, hashed. */
export function uuidV5(namespace: string, name: string): string {
  if (!isUuid(namespace)) throw new RenownError('invalid_request', 'A UUIDv5 namespace must be a UUID.');
  const space = Uint8Array.from(namespace.replaceAll('-', '').match(/../g) ?? [], (hex) =>
    Number.parseInt(hex, 16),
  );
  const text = new TextEncoder().encode(name);
  const message = new Uint8Array(space.length + text.length);
  message.set(space);
  message.set(text, space.length);
  const bytes = sha1(message).subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** Refuses what cannot be the id of an agent or an org; any character but a control character is welcome in one. */
export function checkAgentId(value: unknown, path: string, issues: Issues): void {
  const fault = agentIdFault(value);
  if (fault !== undefined) issues.add(path, fault);
}

/** What is wrong with the id of an agent or an org, if anything. */
export function agentIdFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'must be a non-empty text';
  // A lone surrogate is no code point, and two different ids would become one as soon as they are written as UTF-8.
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  if (/\p{Cc}/u.test(value)) return 'must not contain control characters';
  // A code point is one or two code units, so a much longer text need not be counted.
  const { agentIdCodePointsMax: max } = CLIENT_LIMITS;
  if (value.length > 2 * max || [...value].length > max) return `must be at most ${max} characters long`;
  return undefined;
}
