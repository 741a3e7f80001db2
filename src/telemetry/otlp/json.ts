/**
 * OTLP as JSON: an export request of logs, traces or metrics, or a line of the collector's file exporter, which is the
 * same. Field names are those of the protocol's JSON mapping; unknown ones are skipped, 64-bit integers are taken as text
 * and as numbers.
 */
import { type Attributes, type AttributeValue, attribute, findAttribute } from '../attributes.ts';
import { TelemetryRecord } from '../telemetry-record.ts';
import { AttributeDigest, SPELT_DEPTH_MAX, spellBytes, spellList, spellScalar } from './attribute-digest.ts';
import { toEventName } from './event-name.ts';
import { JsonCursor, type JsonScalar } from './json-cursor.ts';
import { parseTime } from './parse-time.ts';
import { NAME_AT, type Spelling, Spellings } from './spellings.ts';

export type RecordSink = (record: TelemetryRecord) => void;

const EVENT_NAME = attribute('event.name');
const TEMPORALITIES = ['gauge', 'delta', 'cumulative'] as const;

/** Decodes one document after another; what it hands to the sink is valid until the sink returns. */
export class OtlpJsonDecoder {
  readonly #cursor = new JsonCursor();
  readonly #record = new TelemetryRecord(() => this.#digestAttributes());
  readonly #digest = new AttributeDigest();
  readonly #spellings = new Spellings();
  /** Under which key the last value stood. */
  #valueKey = '';
  /** Where those of the record itself are; -1 while it has none. */
  #attributesAt = -1;

  /** False, with nothing handed on, when the document is no OTLP. Throws a `JsonFault` when it is no JSON. */
  decode(bytes: Buffer, start: number, end: number, sink: RecordSink): boolean {
    const cursor = this.#cursor;
    cursor.reset(bytes, start, end);
    let isOtlp = false;
    if (!cursor.enterObject()) return false;
    for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
      if (key === 'resourceLogs') this.#resources('scopeLogs', 'logRecords', () => this.#log(sink));
      else if (key === 'resourceSpans') this.#resources('scopeSpans', 'spans', () => this.#span(sink));
      else if (key === 'resourceMetrics')
        this.#resources('scopeMetrics', 'metrics', () => this.#metric(sink));
      else {
        cursor.skipValue();
        continue;
      }
      isOtlp = true;
    }
    cursor.finish();
    return isOtlp;
  }

  #resources(scopes: string, items: string, readItem: () => void): void {
    this.#each(() => {
      this.#record.resource.clear();
      // The resource stands before its scopes as a rule; where it does not, the scopes wait for it.
      let waiting = -1;
      let hasResource = false;
      this.#fields((key) => {
        if (key === 'resource') {
          hasResource = true;
          this.#attributesOf(this.#record.resource);
        } else if (key === scopes && hasResource) this.#scopes(items, readItem);
        else {
          if (key === scopes) waiting = this.#cursor.position;
          this.#cursor.skipValue();
        }
      });
      if (waiting !== -1) this.#at(waiting, () => this.#scopes(items, readItem));
    });
  }

  #scopes(items: string, readItem: () => void): void {
    this.#each(() => {
      this.#record.scope = '';
      let waiting = -1;
      let hasScope = false;
      this.#fields((key) => {
        if (key === 'scope') {
          hasScope = true;
          this.#fields((field) => {
            if (field === 'name') this.#record.scope = this.#text();
            else this.#cursor.skipValue();
          });
        } else if (key === items && hasScope) this.#each(readItem);
        else {
          if (key === items) waiting = this.#cursor.position;
          this.#cursor.skipValue();
        }
      });
      if (waiting !== -1) this.#at(waiting, () => this.#each(readItem));
    });
  }

  #log(sink: RecordSink): void {
    const record = this.#record;
    const cursor = this.#cursor;
    this.#begin('log');
    let observed: JsonScalar | undefined;
    let body: AttributeValue | undefined;
    if (!cursor.enterObject()) return;
    for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
      if (key === 'attributes') this.#ownAttributes();
      else if (key === 'timeUnixNano') record.at = this.#time();
      else if (key === 'observedTimeUnixNano') observed = cursor.readScalar();
      else if (key === 'body') body = this.#anyValue();
      else if (key === 'eventName') record.name = this.#text();
      else if (key === 'traceId') record.traceId = this.#text();
      else if (key === 'spanId') record.spanId = this.#text();
      else cursor.skipValue();
    }
    if (record.at === 0) record.at = parseTime(observed);
    record.name = toEventName(record.name, record.text(EVENT_NAME), body);
    sink(record);
  }

  #span(sink: RecordSink): void {
    const record = this.#record;
    this.#begin('span');
    let events = -1;
    this.#fields((key) => {
      if (key === 'attributes') this.#ownAttributes();
      else if (key === 'name') record.name = this.#text();
      else if (key === 'startTimeUnixNano') record.startedAt = this.#time();
      else if (key === 'endTimeUnixNano') record.at = this.#time();
      else if (key === 'traceId') record.traceId = this.#text();
      else if (key === 'spanId') record.spanId = this.#text();
      else if (key === 'status') record.failed = this.#isError();
      else {
        if (key === 'events') events = this.#cursor.position;
        this.#cursor.skipValue();
      }
    });
    sink(record);
    if (events !== -1) this.#at(events, () => this.#spanEvents(sink));
  }

  /** What happened within a span. Its events keep the span's attributes, because some agents put the session there. */
  #spanEvents(sink: RecordSink): void {
    const record = this.#record;
    const { traceId, spanId } = record;
    const ofSpan = record.attributes.copy();
    this.#each(() => {
      this.#begin('span_event');
      record.traceId = traceId;
      record.spanId = spanId;
      this.#fields((key) => {
        if (key === 'attributes') this.#ownAttributes();
        else if (key === 'name') record.name = this.#text();
        else if (key === 'timeUnixNano') record.at = this.#time();
        else this.#cursor.skipValue();
      });
      for (const [place, value] of ofSpan) record.attributes.set(place, value);
      sink(record);
    });
  }

  #metric(sink: RecordSink): void {
    let name = '';
    let data = -1;
    let isSum = false;
    this.#fields((key) => {
      if (key === 'name') name = this.#text();
      else {
        if (key === 'sum' || key === 'gauge') {
          data = this.#cursor.position;
          isSum = key === 'sum';
        }
        this.#cursor.skipValue();
      }
    });
    if (data !== -1) this.#at(data, () => this.#points(name, isSum, sink));
  }

  #points(name: string, isSum: boolean, sink: RecordSink): void {
    let points = -1;
    let temporality = 0;
    this.#fields((key) => {
      if (key === 'aggregationTemporality') {
        const value = this.#cursor.readScalar();
        temporality = TEMPORALITY_NAMES[String(value)] ?? Number(value);
      } else {
        if (key === 'dataPoints') points = this.#cursor.position;
        this.#cursor.skipValue();
      }
    });
    if (points === -1) return;
    this.#at(points, () =>
      this.#each(() => {
        const record = this.#record;
        this.#begin('metric');
        record.name = name;
        record.temporality = (isSum && TEMPORALITIES[temporality]) || 'gauge';
        this.#fields((key) => {
          if (key === 'attributes') this.#ownAttributes();
          else if (key === 'timeUnixNano') record.at = this.#time();
          else if (key === 'startTimeUnixNano') record.startedAt = this.#time();
          else if (key === 'asInt' || key === 'asDouble') record.value = Number(this.#cursor.readScalar());
          else this.#cursor.skipValue();
        });
        sink(record);
      }),
    );
  }

  #begin(kind: TelemetryRecord['kind']): void {
    this.#record.clear(kind);
    this.#attributesAt = -1;
  }

  #ownAttributes(): void {
    this.#attributesAt = this.#cursor.position;
    this.#attributes(this.#record.attributes);
  }

  #digestAttributes(): string {
    this.#digest.clear();
    if (this.#attributesAt !== -1) {
      this.#at(this.#attributesAt, () =>
        this.#each(() => {
          const { name, spelt } = this.#spellAttribute(0);
          this.#digest.add(name, spelt);
        }),
      );
    }
    return this.#digest.text;
  }

  #spellAttribute(depth: number): { name: string; spelt: string } {
    let name = '';
    let spelt = '';
    this.#fields((key) => {
      if (key === 'key') name = this.#text();
      else if (key === 'value') spelt = this.#spellValue(depth);
      else this.#cursor.skipValue();
    });
    return { name, spelt };
  }

  #spellValue(depth: number): string {
    const cursor = this.#cursor;
    let spelt = '';
    this.#fields((key) => {
      if (key === 'stringValue' || key === 'boolValue') spelt = spellScalar(cursor.readScalar());
      else if (key === 'intValue' || key === 'doubleValue') spelt = spellScalar(Number(cursor.readScalar()));
      else if (key === 'bytesValue') spelt = spellBytes(Buffer.from(this.#text(), 'base64'));
      else if (key === 'arrayValue') spelt = this.#spellItems(depth, () => this.#spellValue(depth + 1));
      else if (key === 'kvlistValue') {
        spelt = this.#spellItems(depth, () => {
          const { name, spelt: value } = this.#spellAttribute(depth + 1);
          return `${name}=${value}`;
        });
      } else cursor.skipValue();
    });
    return spelt;
  }

  #spellItems(depth: number, spell: () => string): string {
    const items: string[] = [];
    this.#fields((key) => {
      if (key !== 'values' || depth >= SPELT_DEPTH_MAX) this.#cursor.skipValue();
      else this.#each(() => items.push(spell()));
    });
    return spellList(items);
  }

  /** The attributes of a resource. */
  #attributesOf(into: Attributes): void {
    this.#fields((key) => {
      if (key === 'attributes') this.#attributes(into);
      else this.#cursor.skipValue();
    });
  }

  #attributes(into: Attributes): void {
    const cursor = this.#cursor;
    if (!cursor.enterArray()) return;
    let last = this.#spellings.start;
    while (cursor.nextElement()) last = this.#likelyAttribute(into, last) ?? this.#attribute(into, last);
  }

  /** One of the attributes that have followed the last one before, if it follows again. */
  #likelyAttribute(into: Attributes, { next }: Spelling): Spelling | undefined {
    const cursor = this.#cursor;
    const start = cursor.position;
    for (let i = 0; i < next.length; i++) {
      const spelling = next[i] as Spelling;
      if (!cursor.take(spelling.text, NAME_AT)) continue;
      const { place, isNumber } = spelling;
      const value = place === undefined ? cursor.skipValue() : cursor.readScalar();
      if (!cursor.takeBraces(2)) break;
      if (place !== undefined && value != null) into.set(place, isNumber ? Number(value) : value);
      return spelling;
    }
    cursor.seek(start);
    return undefined;
  }

  /** Any attribute, however it is spelt. */
  #attribute(into: Attributes, last: Spelling): Spelling {
    const cursor = this.#cursor;
    let name: string | undefined;
    let waiting = -1;
    this.#fields((key) => {
      if (key === 'key') name = this.#text();
      else if (key === 'value' && name !== undefined) this.#setAttribute(into, name);
      else {
        if (key === 'value') waiting = cursor.position;
        cursor.skipValue();
      }
    });
    if (name === undefined) return last;
    const known = name;
    if (waiting !== -1) this.#at(waiting, () => this.#setAttribute(into, known));
    return this.#spellings.follow(last, known, this.#valueKey);
  }

  #setAttribute(into: Attributes, name: string): void {
    const place = findAttribute(name);
    const value = this.#anyValue();
    if (place !== undefined && value !== undefined) into.set(place, value);
  }

  /** A text, number or truth value; undefined for lists, maps and bytes. */
  #anyValue(): AttributeValue | undefined {
    const cursor = this.#cursor;
    let result: AttributeValue | undefined;
    this.#valueKey = '';
    if (!cursor.enterObject()) return undefined;
    for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
      this.#valueKey = key;
      if (key === 'stringValue' || key === 'boolValue') result = cursor.readScalar() ?? undefined;
      else if (key === 'intValue' || key === 'doubleValue') {
        const value = cursor.readScalar();
        result = value == null ? undefined : Number(value);
      } else cursor.skipValue();
    }
    return result;
  }

  #isError(): boolean {
    let isError = false;
    this.#fields((key) => {
      if (key === 'code') {
        const code = this.#cursor.readScalar();
        isError = code === 2 || code === '2' || code === 'STATUS_CODE_ERROR';
      } else this.#cursor.skipValue();
    });
    return isError;
  }

  #text(): string {
    const value = this.#cursor.readScalar();
    return typeof value === 'string' ? value : '';
  }

  #time(): number {
    return parseTime(this.#cursor.readScalar());
  }

  #fields(read: (key: string) => void): void {
    const cursor = this.#cursor;
    if (!cursor.enterObject()) return;
    for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) read(key);
  }

  #each(read: () => void): void {
    const cursor = this.#cursor;
    if (!cursor.enterArray()) return;
    while (cursor.nextElement()) read();
  }

  /** Reads something that was passed over, and comes back. */
  #at(position: number, read: () => void): void {
    const back = this.#cursor.position;
    this.#cursor.seek(position);
    read();
    this.#cursor.seek(back);
  }
}

/** Some writers spell enums out, against the protocol. */
const TEMPORALITY_NAMES: Record<string, number> = {
  AGGREGATION_TEMPORALITY_DELTA: 1,
  AGGREGATION_TEMPORALITY_CUMULATIVE: 2,
};
