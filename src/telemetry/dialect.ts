import { type Attribute, attribute } from './attributes.ts';
import type { Reading } from './session-event.ts';
import type { TelemetryRecord } from './telemetry-record.ts';

/** How one kind of agent speaks. One small file each in dialects/. */
export interface Dialect {
  name: string;
  /** Whether a record is of this kind. Asked in the order of dialects.ts; the first that says yes has it. */
  matches(record: TelemetryRecord): boolean;
  /** The id of the session, where the record has one. */
  session(record: TelemetryRecord): string | undefined;
  /** What a record says; null if nothing that counts. */
  read(record: TelemetryRecord): Reading | null;
}

export const SESSION_ID: Attribute = attribute('session.id');
export const SERVICE_NAME: Attribute = attribute('service.name');
export const CONVERSATION_ID: Attribute = attribute('gen_ai.conversation.id');

/** How long a span took, in milliseconds; undefined where it does not say, or says that it ended before it began. */
export function durationOf({ startedAt, at }: TelemetryRecord): number | undefined {
  return startedAt > 0 && at >= startedAt ? at - startedAt : undefined;
}

const TOKEN = /^[\w.:/@-]{1,100}$/;

/** What stands behind the operation in the name of a span, if it can be a name: some put free text there, which nobody keeps. */
export function nameBehind(prefix: string, { name }: TelemetryRecord): string | undefined {
  const rest = name.slice(prefix.length).trim();
  return TOKEN.test(rest) ? rest : undefined;
}

/** The first of several spellings that is there. */
export function firstNumber(record: TelemetryRecord, ...places: Attribute[]): number | undefined {
  for (const place of places) {
    const value = record.number(place);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function firstText(record: TelemetryRecord, ...places: Attribute[]): string | undefined {
  for (const place of places) {
    const value = record.text(place);
    if (value !== undefined) return value;
  }
  return undefined;
}
