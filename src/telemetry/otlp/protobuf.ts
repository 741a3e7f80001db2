/**
 * OTLP as protobuf (opentelemetry-proto 1.x): export requests of logs, traces and metrics. Field numbers are those of
 * the .proto files; only what a session needs is read, and what nobody reads is passed over without being built.
 */
import {
  type Attribute,
  type Attributes,
  type AttributeValue,
  attribute,
  findAttribute,
} from '../attributes.ts';
import { TelemetryRecord } from '../telemetry-record.ts';
import { AttributeDigest, SPELT_DEPTH_MAX, spellBytes, spellList, spellScalar } from './attribute-digest.ts';
import { toEventName } from './event-name.ts';
import type { RecordSink } from './json.ts';
import { KnownKeys } from './known-keys.ts';
import { fromFixed64 } from './parse-time.ts';
import { ProtobufCursor } from './protobuf-cursor.ts';

export type OtlpSignal = 'logs' | 'traces' | 'metrics';

const EVENT_NAME = attribute('event.name');
const TEMPORALITIES = ['gauge', 'delta', 'cumulative'] as const;
const STATUS_ERROR = 2;

type Fields = { readonly [field: number]: () => void };

export class OtlpProtobufDecoder {
  readonly #cursor = new ProtobufCursor();
  readonly #record = new TelemetryRecord(() => this.#digestAttributes());
  readonly #digest = new AttributeDigest();
  readonly #keys = new KnownKeys();
  readonly #firstOfResource = KnownKeys.start();
  readonly #firstOfRecord = KnownKeys.start();
  #lastKey = this.#firstOfRecord;
  /** Where the message of the record begins, and the field that its attributes are. */
  #recordAt = 0;
  #attributesField = 0;

  /** Throws a `ProtobufFault` when the bytes are none; what was handed on before it stays handed on. */
  decode(bytes: Buffer, signal: OtlpSignal, sink: RecordSink): void {
    const read = { logs: this.#log, traces: this.#span, metrics: this.#metric }[signal].bind(this);
    const item = () => this.#cursor.message(() => read(sink));
    this.#cursor.reset(bytes);
    this.#fields({ 1: () => this.#cursor.message(() => this.#resource(item)) });
  }

  /** ResourceLogs, ResourceSpans, ResourceMetrics. */
  #resource(item: () => void): void {
    this.#record.resource.clear();
    this.#lastKey = this.#firstOfResource;
    this.#cursor.again(() =>
      this.#fields({
        1: () => this.#cursor.message(() => this.#fields({ 1: () => this.#keyValue(this.#record.resource) })),
      }),
    );
    this.#fields({ 2: () => this.#cursor.message(() => this.#scope(item)) });
  }

  #scope(item: () => void): void {
    this.#record.scope = '';
    this.#cursor.again(() =>
      this.#fields({
        1: () =>
          this.#cursor.message(() =>
            this.#fields({
              1: () => {
                this.#record.scope = this.#cursor.string();
              },
            }),
          ),
      }),
    );
    this.#fields({ 2: item });
  }

  #log(sink: RecordSink): void {
    const record = this.#record;
    const cursor = this.#cursor;
    this.#begin('log', 6);
    let observedAt = 0;
    let body: AttributeValue | undefined;
    for (let field = cursor.next(); field !== 0; field = cursor.next()) {
      if (field === 6) this.#keyValue(record.attributes);
      else if (field === 1) record.at = cursor.fixed64(fromFixed64);
      else if (field === 11) observedAt = cursor.fixed64(fromFixed64);
      else if (field === 5) body = this.#anyValue();
      else if (field === 12) record.name = cursor.string();
      else if (field === 9) record.traceId = cursor.hex();
      else if (field === 10) record.spanId = cursor.hex();
      else cursor.skip();
    }
    if (record.at === 0) record.at = observedAt;
    record.name = toEventName(record.name, record.text(EVENT_NAME), body);
    sink(record);
  }

  #span(sink: RecordSink): void {
    const record = this.#record;
    const cursor = this.#cursor;
    this.#begin('span', 9);
    cursor.again(() =>
      this.#fields({
        1: () => {
          record.traceId = cursor.hex();
        },
        2: () => {
          record.spanId = cursor.hex();
        },
        5: () => {
          record.name = cursor.string();
        },
        7: () => {
          record.startedAt = cursor.fixed64(fromFixed64);
        },
        8: () => {
          record.at = cursor.fixed64(fromFixed64);
        },
        9: () => this.#keyValue(record.attributes),
        15: () =>
          cursor.message(() =>
            this.#fields({
              3: () => {
                record.failed = cursor.unsigned() === STATUS_ERROR;
              },
            }),
          ),
      }),
    );
    sink(record);
    this.#spanEvents(sink);
  }

  /** As in JSON: an event keeps the attributes of its span. */
  #spanEvents(sink: RecordSink): void {
    const record = this.#record;
    const cursor = this.#cursor;
    const { traceId, spanId } = record;
    const ofSpan = record.attributes.copy();
    this.#fields({
      11: () =>
        cursor.message(() => {
          this.#begin('span_event', 3);
          record.traceId = traceId;
          record.spanId = spanId;
          this.#fields({
            1: () => {
              record.at = cursor.fixed64(fromFixed64);
            },
            2: () => {
              record.name = cursor.string();
            },
            3: () => this.#keyValue(record.attributes),
          });
          for (const [place, value] of ofSpan) record.attributes.set(place, value);
          sink(record);
        }),
    });
  }

  #metric(sink: RecordSink): void {
    const cursor = this.#cursor;
    let name = '';
    cursor.again(() =>
      this.#fields({
        1: () => {
          name = cursor.string();
        },
      }),
    );
    this.#fields({
      5: () => cursor.message(() => this.#points(name, 'gauge', sink)),
      7: () =>
        cursor.message(() => {
          let temporality = 0;
          cursor.again(() =>
            this.#fields({
              2: () => {
                temporality = cursor.unsigned();
              },
            }),
          );
          this.#points(name, TEMPORALITIES[temporality] ?? 'gauge', sink);
        }),
    });
  }

  #points(name: string, temporality: TelemetryRecord['temporality'], sink: RecordSink): void {
    const record = this.#record;
    const cursor = this.#cursor;
    this.#fields({
      1: () =>
        cursor.message(() => {
          this.#begin('metric', 7);
          record.name = name;
          record.temporality = temporality;
          this.#fields({
            2: () => {
              record.startedAt = cursor.fixed64(fromFixed64);
            },
            3: () => {
              record.at = cursor.fixed64(fromFixed64);
            },
            4: () => {
              record.value = cursor.double();
            },
            6: () => {
              record.value = cursor.fixed64((low, high) => (high | 0) * 4_294_967_296 + low);
            },
            7: () => this.#keyValue(record.attributes),
          });
          sink(record);
        }),
    });
  }

  #begin(kind: TelemetryRecord['kind'], attributesField: number): void {
    this.#record.clear(kind);
    this.#lastKey = this.#firstOfRecord;
    this.#recordAt = this.#cursor.position;
    this.#attributesField = attributesField;
  }

  #digestAttributes(): string {
    this.#digest.clear();
    this.#cursor.revisit(this.#recordAt, () =>
      this.#fields({
        [this.#attributesField]: () => {
          const { name, spelt } = this.#spellAttribute(0);
          this.#digest.add(name, spelt);
        },
      }),
    );
    return this.#digest.text;
  }

  #spellAttribute(depth: number): { name: string; spelt: string } {
    let name = '';
    let spelt = '';
    this.#inside({
      1: () => {
        name = this.#cursor.string();
      },
      2: () => {
        spelt = this.#spellValue(depth);
      },
    });
    return { name, spelt };
  }

  #spellValue(depth: number): string {
    const cursor = this.#cursor;
    let spelt = '';
    const as = (spell: () => string) => () => {
      spelt = spell();
    };
    this.#inside({
      1: as(() => spellScalar(cursor.string())),
      2: as(() => spellScalar(cursor.unsigned() !== 0)),
      3: as(() => spellScalar(cursor.int64())),
      4: as(() => spellScalar(cursor.double())),
      5: as(() => this.#spellItems(depth, () => this.#spellValue(depth + 1))),
      6: as(() =>
        this.#spellItems(depth, () => {
          const { name, spelt: value } = this.#spellAttribute(depth + 1);
          return `${name}=${value}`;
        }),
      ),
      7: as(() => spellBytes(Buffer.from(cursor.hex(), 'hex'))),
    });
    return spelt;
  }

  #spellItems(depth: number, spell: () => string): string {
    const items: string[] = [];
    this.#inside(depth >= SPELT_DEPTH_MAX ? {} : { 1: () => items.push(spell()) });
    return spellList(items);
  }

  /** Written out rather than with a table of functions, as is the next: there are twenty of these in every record. */
  #keyValue(into: Attributes): void {
    const cursor = this.#cursor;
    const outer = cursor.open();
    const { next } = this.#lastKey;
    if (next !== null && cursor.take(next.bytes)) {
      this.#lastKey = next;
      if (next.place !== undefined) this.#valueOf(next.place, into);
    } else this.#unexpectedKeyValue(into);
    cursor.close(outer);
  }

  /** What stands behind a name. */
  #valueOf(place: Attribute, into: Attributes): void {
    const cursor = this.#cursor;
    for (let field = cursor.next(); field !== 0; field = cursor.next()) {
      const value = field === 2 ? this.#anyValue() : cursor.skip();
      if (value !== undefined) into.set(place, value);
    }
  }

  #unexpectedKeyValue(into: Attributes): void {
    const cursor = this.#cursor;
    let name = '';
    let value: AttributeValue | undefined;
    for (let field = cursor.next(); field !== 0; field = cursor.next()) {
      if (field === 1) name = cursor.string();
      // A value whose name is not known yet is read in any case.
      else if (field === 2 && (name === '' || findAttribute(name) !== undefined)) value = this.#anyValue();
      else cursor.skip();
    }
    const place = findAttribute(name);
    if (place !== undefined && value !== undefined) into.set(place, value);
    this.#lastKey = this.#keys.follow(this.#lastKey, name);
  }

  /** A text, number or truth value; undefined for lists, maps and bytes. */
  #anyValue(): AttributeValue | undefined {
    const cursor = this.#cursor;
    const outer = cursor.open();
    let value: AttributeValue | undefined;
    for (let field = cursor.next(); field !== 0; field = cursor.next()) {
      if (field === 1) value = cursor.string();
      else if (field === 2) value = cursor.unsigned() !== 0;
      else if (field === 3) value = cursor.int64();
      else if (field === 4) value = cursor.double();
      else cursor.skip();
    }
    cursor.close(outer);
    return value;
  }

  /** Goes over the fields of a message; those that are not in the table are skipped. */
  #fields(table: Fields): void {
    const cursor = this.#cursor;
    for (let field = cursor.next(); field !== 0; field = cursor.next()) {
      const read = table[field];
      if (read) read();
      else cursor.skip();
    }
  }
  /** The same for an embedded message. */
  #inside(table: Fields): void {
    this.#cursor.message(() => this.#fields(table));
  }
}
