/**
 * Export requests as a receiver takes them, protobuf or JSON: a table of its own for each, because a request counts whole
 * or not at all. What cannot be used is counted, by why.
 */
import { agentIdFault } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { normalise, type Unread } from './normalise.ts';
import { OtlpJsonDecoder } from './otlp/json.ts';
import { JsonFault } from './otlp/json-cursor.ts';
import { OtlpProtobufDecoder, type OtlpSignal } from './otlp/protobuf.ts';
import { ProtobufFault } from './otlp/protobuf-cursor.ts';
import type { SessionEvent } from './session-event.ts';
import { SessionTable } from './session-table.ts';
import type { TelemetryRecord } from './telemetry-record.ts';
import { declareTexts, type TextHook, type Texts } from './texts.ts';

export type OtlpEncoding = 'protobuf' | 'json';

export interface RequestReading extends Unread {
  table: SessionTable;
  /** Log records, spans or metric points. */
  records: number;
  /** Records of a session whose id, names or numbers no ledger takes. */
  unsound: number;
}

const OPEN_OBJECT = 0x7b;

export class RequestReader {
  readonly #json = new OtlpJsonDecoder();
  readonly #protobuf = new OtlpProtobufDecoder();
  readonly #textsOf: (record: TelemetryRecord) => Texts | undefined = declareTexts();

  /** Null when the bytes are not what they are said to be. `onTexts` sees texts only of a request that is one. */
  read(
    bytes: Buffer,
    { encoding, signal }: { encoding: OtlpEncoding; signal: OtlpSignal },
    onTexts: TextHook,
  ): RequestReading | null {
    const reading = { table: new SessionTable(), records: 0, withoutSession: 0, unknown: 0, unsound: 0 };
    const texts: [SessionEvent, Texts][] = [];
    const take = (record: TelemetryRecord): void => {
      // An event of a span is no record of the request's own.
      const isPart = record.kind === 'span_event';
      const unread: Unread = isPart ? { withoutSession: 0, unknown: 0 } : reading;
      if (!isPart) reading.records++;
      const event = normalise(record, unread);
      if (!event) return;
      if (!isSound(event)) {
        if (!isPart) reading.unsound++;
        return;
      }
      reading.table.add(event);
      const passing = this.#textsOf(record);
      if (passing) texts.push([event, passing]);
    };
    if (!this.#decode(bytes, { encoding, signal }, take)) return null;
    for (const [event, passing] of texts) onTexts(event, passing);
    return reading;
  }

  #decode(
    bytes: Buffer,
    { encoding, signal }: { encoding: OtlpEncoding; signal: OtlpSignal },
    take: (record: TelemetryRecord) => void,
  ): boolean {
    try {
      if (encoding === 'protobuf') this.#protobuf.decode(bytes, signal, take);
      // An object without resources is an empty request; anything else that is JSON is none.
      else if (!isObject(bytes)) return false;
      else this.#json.decode(bytes, 0, bytes.length, take);
      return true;
    } catch (error) {
      if (error instanceof ProtobufFault || error instanceof JsonFault) return false;
      throw error;
    }
  }
}

function isObject(bytes: Buffer): boolean {
  return bytes.find((byte) => byte > 0x20) === OPEN_OBJECT;
}

/** What a ledger takes: ids that a path can name, and numbers that a score can read. An owner nobody can be is nobody. */
function isSound(event: SessionEvent): boolean {
  const { amount = 0, costUsd = 0, at } = event;
  if (!isName(event.sessionId) || (event.masque !== '' && !isName(event.masque))) return false;
  if (event.entrypoint !== '' && !isName(event.entrypoint)) event.entrypoint = '';
  if (event.agent.name !== '' && !isName(event.agent.name)) event.agent = { name: '', rank: 0 };
  if (event.name !== undefined && !isName(event.name)) event.name = cut(event.name);
  return isCount(amount) && isCount(costUsd) && at >= 0 && at <= LIMITS.epochMsMax;
}

/** Nearly all are plain; one look tells, and spares the closer one. */
function isName(text: string): boolean {
  if (text.length > LIMITS.nameLengthMax) return false;
  return PLAIN.test(text) || agentIdFault(text) === undefined;
}

const PLAIN = /^[\x20-\x7e]+$/;

/** The name of a tool is shown in many places, none of which is made for a page of text. */
function cut(name: string): string {
  return name
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, LIMITS.nameLengthMax)
    .toWellFormed();
}

function isCount(value: number): boolean {
  return value >= 0 && value < Number.POSITIVE_INFINITY;
}
