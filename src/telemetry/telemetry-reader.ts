/**
 * Turns lines and documents of telemetry into session events in a table. It decides what each line is (an OTLP batch or
 * an entry of a transcript) and counts what it could not use. A line counts whole or not at all.
 */
import { normalise, type Unread } from './normalise.ts';
import { OtlpJsonDecoder } from './otlp/json.ts';
import { JsonFault } from './otlp/json-cursor.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionTable } from './session-table.ts';
import type { TelemetryRecord } from './telemetry-record.ts';
import { readTranscriptLine } from './transcript.ts';

/** What was read, and what of it became nothing. */
export interface Reading extends Unread {
  records: number;
  /** Lines that are no JSON. */
  brokenLines: number;
}

export class TelemetryReader {
  readonly reading: Reading;
  readonly #table: SessionTable;
  readonly #json = new OtlpJsonDecoder();
  #events: SessionEvent[] = [];

  /** Goes on from an earlier reading, if there was one. */
  constructor(
    table: SessionTable,
    reading: Reading = { records: 0, withoutSession: 0, unknown: 0, brokenLines: 0 },
  ) {
    this.#table = table;
    this.reading = { ...reading };
  }

  /** One line of a file. False if it is no JSON, which a last line that is still being written is not. */
  readLine(bytes: Buffer, start: number, end: number): boolean {
    const before = { ...this.reading };
    try {
      if (!this.#json.decode(bytes, start, end, this.#take)) this.#readTranscript(bytes, start, end);
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      this.#events = [];
      Object.assign(this.reading, before);
      return false;
    }
    for (const event of this.#events) this.#table.add(event);
    this.#events.length = 0;
    return true;
  }

  readonly #take = (record: TelemetryRecord): void => {
    this.reading.records++;
    const event = normalise(record, this.reading);
    if (event) this.#events.push(event);
  };

  #readTranscript(bytes: Buffer, start: number, end: number): void {
    this.reading.records++;
    const events = readTranscriptLine(bytes.toString('utf8', start, end));
    if (!events) this.reading.unknown++;
    else this.#events.push(...events);
  }
}
