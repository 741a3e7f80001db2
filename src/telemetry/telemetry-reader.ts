/**
 * Turns lines and requests of telemetry into session events in a table. It decides what each line is (an OTLP batch or
 * an entry of a transcript) and counts what it could not use. A line counts whole or not at all.
 */
import { normalise, type Unread } from './normalise.ts';
import { OtlpJsonDecoder } from './otlp/json.ts';
import { JsonFault } from './otlp/json-cursor.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionTable } from './session-table.ts';
import { isSound } from './soundness.ts';
import type { TelemetryRecord } from './telemetry-record.ts';
import { readTranscriptLine } from './transcript.ts';

/** What was read, and what of it became nothing. */
export interface Reading extends Unread {
  records: number;
  /** Lines that are no JSON, and lines that were passed over because of their length. */
  brokenLines: number;
  tooLongLines: number;
}

export const NOTHING_READ: Readonly<Reading> = {
  records: 0,
  withoutSession: 0,
  unknown: 0,
  unsound: 0,
  brokenLines: 0,
  tooLongLines: 0,
};

export class TelemetryReader {
  readonly reading: Reading;
  readonly #table: SessionTable;
  readonly #json = new OtlpJsonDecoder();
  #events: SessionEvent[] = [];

  /** `reading` is an earlier one to go on from. */
  constructor(table: SessionTable, { reading }: { reading?: Reading } = {}) {
    this.#table = table;
    this.reading = { ...NOTHING_READ, ...reading };
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
    this.#commit();
    return true;
  }

  readonly #take = (record: TelemetryRecord): void => {
    this.reading.records++;
    const event = normalise(record, this.reading);
    if (event) this.#events.push(event);
  };

  #readTranscript(bytes: Buffer, start: number, end: number): void {
    this.reading.records++;
    const told = readTranscriptLine(bytes.toString('utf8', start, end));
    if (!told) this.reading.unknown++;
    const sound = told?.filter(isSound) ?? [];
    if (told && sound.length < told.length) this.reading.unsound++;
    this.#events.push(...sound);
  }

  #commit(): void {
    for (const event of this.#events) this.#table.add(event);
    this.#events.length = 0;
  }
}
