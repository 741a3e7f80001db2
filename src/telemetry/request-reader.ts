/**
 * Export requests as a receiver takes them, protobuf or JSON: a table of its own for each, because a request counts whole
 * or not at all. What cannot be used is counted, by why.
 */
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
      const unread: Unread = isPart ? { withoutSession: 0, unknown: 0, unsound: 0 } : reading;
      if (!isPart) reading.records++;
      const event = normalise(record, unread);
      if (!event) return;
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
