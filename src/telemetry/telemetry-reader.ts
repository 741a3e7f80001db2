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
import { declareTexts, type TextHook, type Texts } from './texts.ts';
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

interface ReaderOptions {
  /** Goes on from an earlier reading. */
  reading?: Reading;
  /** Sees texts before they are dropped. */
  onTexts?: TextHook;
}

export class TelemetryReader {
  readonly reading: Reading;
  readonly #table: SessionTable;
  readonly #json = new OtlpJsonDecoder();
  readonly #onTexts: TextHook | undefined;
  readonly #textsOf: ((record: TelemetryRecord) => Texts | undefined) | undefined;
  #events: SessionEvent[] = [];
  #texts: [SessionEvent, Texts][] = [];

  constructor(table: SessionTable, { reading, onTexts }: ReaderOptions = {}) {
    this.#table = table;
    this.reading = { ...NOTHING_READ, ...reading };
    this.#onTexts = onTexts;
    this.#textsOf = onTexts && declareTexts();
  }

  /** One line of a file. False if it is no JSON, which a last line that is still being written is not. */
  readLine(bytes: Buffer, start: number, end: number): boolean {
    const before = { ...this.reading };
    try {
      if (!this.#json.decode(bytes, start, end, this.#take)) this.#readTranscript(bytes, start, end);
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      this.#events = [];
      this.#texts = [];
      Object.assign(this.reading, before);
      return false;
    }
    this.#commit();
    return true;
  }

  readonly #take = (record: TelemetryRecord): void => {
    this.reading.records++;
    const event = normalise(record, this.reading);
    if (!event) return;
    this.#events.push(event);
    const texts = this.#textsOf?.(record);
    if (texts) this.#texts.push([event, texts]);
  };

  #readTranscript(bytes: Buffer, start: number, end: number): void {
    this.reading.records++;
    const told = readTranscriptLine(bytes.toString('utf8', start, end));
    if (!told) this.reading.unknown++;
    const sound = told?.filter(({ event }) => isSound(event)) ?? [];
    if (told && sound.length < told.length) this.reading.unsound++;
    for (const { event, texts } of sound) {
      this.#events.push(event);
      if (texts && this.#onTexts) this.#texts.push([event, texts]);
    }
  }

  #commit(): void {
    for (const event of this.#events) this.#table.add(event);
    for (const [event, texts] of this.#texts) this.#onTexts?.(event, texts);
    this.#events.length = 0;
    this.#texts.length = 0;
  }
}
