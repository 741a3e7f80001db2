import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attribute } from '../../src/telemetry/attributes.ts';
import { OtlpJsonDecoder } from '../../src/telemetry/otlp/json.ts';
import { OtlpProtobufDecoder, type OtlpSignal } from '../../src/telemetry/otlp/protobuf.ts';
import { ProtobufFault } from '../../src/telemetry/otlp/protobuf-cursor.ts';
import type { TelemetryRecord } from '../../src/telemetry/telemetry-record.ts';
import { heldBytesAfter } from '../support/held-memory.ts';
import { logBatch, metricBatch, type Plain, spanBatch } from '../support/otlp.ts';
import { encodeOtlp } from '../support/otlp-proto.ts';

const NAMES = ['session.id', 'event.name', 'tool_name', 'success', 'cost_usd', 'service.name'];
const PLACES = NAMES.map((name) => [name, attribute(name)] as const);

function fromJson(batch: object): object[] {
  const bytes = Buffer.from(JSON.stringify(batch));
  const records: object[] = [];
  const isOtlp = new OtlpJsonDecoder().decode(bytes, 0, bytes.length, (record) =>
    records.push(snapshot(record)),
  );
  expect(isOtlp).toBe(true);
  return records;
}

function fromProtobuf(signal: OtlpSignal, batch: object): object[] {
  const records: object[] = [];
  new OtlpProtobufDecoder().decode(encodeOtlp(signal, batch), signal, (record) =>
    records.push(snapshot(record)),
  );
  return records;
}

/** What a decoder hands on is good until its reader returns, so a test must copy it. */
function snapshot(record: TelemetryRecord): object {
  const { attributes, resource, digest, ...fields } = record;
  const valuesOf = (from: typeof attributes) =>
    Object.fromEntries(
      PLACES.flatMap(([name, place]) => (from.get(place) === undefined ? [] : [[name, from.get(place)]])),
    );
  return { ...fields, digest: digest(), attributes: valuesOf(attributes), resource: valuesOf(resource) };
}

const at = fc.integer({ min: 1, max: 2_000_000_000_000 });
const plain: fc.Arbitrary<Plain> = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const attributes = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), plain, { maxKeys: 8 });
const origin = fc.record({ resource: attributes, scope: fc.string() });
const id = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((raw) => Buffer.from(raw).toString('hex'));

const log = fc.record({ name: fc.string(), at, attributes }, { requiredKeys: ['at'] });
const span = fc.record(
  {
    name: fc.string(),
    traceId: id(16),
    spanId: id(8),
    from: at,
    to: at,
    failed: fc.boolean(),
    attributes,
    events: fc.array(fc.record({ name: fc.string(), at, attributes }), { maxLength: 3 }),
  },
  { requiredKeys: ['name', 'traceId', 'spanId', 'from', 'to'] },
);
const metric = fc.record({
  name: fc.string(),
  value: fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  from: at,
  to: at,
  temporality: fc.constantFrom('delta' as const, 'cumulative' as const, 'gauge' as const),
  attributes,
});

describe('OTLP', () => {
  it('reads the same logs from JSON and from what protobufjs encodes', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 5 }), origin, (logs, from) => {
        const batch = logBatch(logs, from);
        expect(fromProtobuf('logs', batch)).toEqual(fromJson(batch));
      }),
      { numRuns: 300 },
    );
  });

  it('reads the same spans, with the events within them', () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 4 }), origin, (spans, from) => {
        const batch = spanBatch(spans, from);
        expect(fromProtobuf('traces', batch)).toEqual(fromJson(batch));
      }),
      { numRuns: 200 },
    );
  });

  it('reads the same metrics', () => {
    fc.assert(
      fc.property(fc.array(metric, { maxLength: 4 }), origin, (metrics, from) => {
        const batch = metricBatch(metrics, from);
        expect(fromProtobuf('metrics', batch)).toEqual(fromJson(batch));
      }),
      { numRuns: 200 },
    );
  });

  it('takes from a log what was put into it', () => {
    const batch = logBatch(
      [
        {
          name: 'x',
          eventName: 'y',
          at: 1_794_000_000_123.456,
          attributes: { 'session.id': 's', success: true, cost_usd: 0.5, 'not.read': 'z' },
        },
      ],
      { resource: { 'service.name': 'r' }, scope: 'c' },
    );
    const expected = [
      expect.objectContaining({
        kind: 'log',
        name: 'y',
        at: 1_794_000_000_123.456,
        scope: 'c',
        attributes: { 'session.id': 's', success: true, cost_usd: 0.5 },
        resource: { 'service.name': 'r' },
      }),
    ];
    expect(fromJson(batch)).toEqual(expected);
    expect(fromProtobuf('logs', batch)).toEqual(expected);
  });

  it('tells attributes apart that nobody reads, lists and bytes too, in whatever order and encoding', () => {
    const any = (key: string, value: object) => ({ key, value });
    const list = (...values: object[]) => ({ arrayValue: { values } });
    const digestOf = (...attributes: object[]) => {
      const batch = {
        resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: '1', attributes }] }] }],
      };
      const [json, protobuf] = [fromJson(batch), fromProtobuf('logs', batch)] as { digest: string }[][];
      expect(protobuf).toEqual(json);
      return json?.[0]?.digest;
    };
    const a = any('a', { stringValue: 'x' });
    const b = any('b', { intValue: '7' });
    const nested = (inner: object) => any('c', list({ kvlistValue: { values: [any('d', inner)] } }));
    expect(digestOf(a, b)).toBe(digestOf(b, a));
    const different = [
      digestOf(),
      digestOf(a),
      digestOf(b),
      digestOf(a, b),
      digestOf(any('a', { stringValue: '7' })),
      digestOf(any('b', { stringValue: '7' })),
      digestOf(any('b', { boolValue: true })),
      digestOf(any('b', list({ intValue: '7' }))),
      digestOf(any('b', { bytesValue: 'AQID' })),
      digestOf(any('b', { bytesValue: 'AQIE' })),
      digestOf(nested({ doubleValue: 0.5 })),
      digestOf(nested({ doubleValue: 0.25 })),
    ];
    expect(new Set(different).size).toBe(different.length);
    let deep: object = { stringValue: 'deep' };
    for (let i = 0; i < 20; i++) deep = list(deep);
    expect(digestOf(any('b', deep))).not.toBe(digestOf());
  });

  it('ends on random bytes, with records or a fault', () => {
    const decoder = new OtlpProtobufDecoder();
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom<OtlpSignal>('logs', 'traces', 'metrics'),
        (bytes, signal) => {
          try {
            decoder.decode(Buffer.from(bytes), signal, () => undefined);
          } catch (error) {
            expect(error).toBeInstanceOf(ProtobufFault);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('ends on a message with one byte changed, or cut off anywhere', () => {
    const decoder = new OtlpProtobufDecoder();
    const whole = encodeOtlp(
      'traces',
      spanBatch([
        {
          name: 'chat',
          traceId: 'ab'.repeat(16),
          spanId: 'cd'.repeat(8),
          from: 1,
          to: 2,
          attributes: { 'session.id': 's', cost_usd: 1.5 },
          events: [{ name: 'e', at: 2 }],
        },
      ]),
    );
    const tryOn = (bytes: Buffer) => {
      try {
        decoder.decode(bytes, 'traces', () => undefined);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufFault);
      }
    };
    for (let i = 0; i < whole.length; i++) {
      tryOn(whole.subarray(0, i));
      for (const byte of [0, 0x7f, 0x80, 0xff])
        tryOn(Buffer.from(whole.map((old, j) => (i === j ? byte : old))));
    }
  });
});

describe('OTLP as JSON, as it is really written', () => {
  it('may have fields it does not know, keys after values, the resource behind its records, and white space', () => {
    const text = `{ "resourceLogs" : [ { "scopeLogs": [ { "logRecords": [ {
      "new": {"a":[1,"}"]}, "attributes": [ {"value": {"stringValue": "s"}, "key": "session.id"}, {"key": "not.read", "value": {"arrayValue": {"values": []}}} ],
      "observedTimeUnixNano": 5000000, "body": {"stringValue": "claude_code.user_prompt"} } ], "scope": {"name": "late"} } ],
      "resource": {"attributes": [ {"key": "service.name", "value": {"stringValue": "x"}} ]} } ] }`;
    const records: object[] = [];
    const bytes = Buffer.from(text);
    new OtlpJsonDecoder().decode(bytes, 0, bytes.length, (record) => records.push(snapshot(record)));
    expect(records).toEqual([
      expect.objectContaining({
        name: 'claude_code.user_prompt',
        at: 5,
        scope: 'late',
        attributes: { 'session.id': 's' },
        resource: { 'service.name': 'x' },
      }),
    ]);
  });

  it('remembers no name that somebody made up to fill the memory, and reads on behind it', () => {
    const decoder = new OtlpJsonDecoder();
    let seen = 0;
    const held = heldBytesAfter(() => {
      for (let i = 0; i < 20; i++) {
        const name = `${i}`.padEnd(2 * 1024 * 1024, 'n');
        const attributes = { tool_name: 'Bash', [name]: 'x', 'session.id': 's' };
        const bytes = Buffer.from(JSON.stringify(logBatch([{ at: 1, attributes }])));
        decoder.decode(bytes, 0, bytes.length, (record) => {
          if (record.text(attribute('session.id')) === 's') seen++;
        });
      }
    });
    expect(seen).toBe(20);
    expect(held).toBeLessThan(20 * 1024 * 1024);
  });

  it.each([
    [{ name: 'claude_code.user_prompt' }, 'claude_code.user_prompt'],
    [{ name: 'user_prompt' }, 'user_prompt'],
    [
      { name: 'claude_code.user_prompt', attributes: { 'event.name': 'user_prompt' } },
      'claude_code.user_prompt',
    ],
    [{ eventName: 'user_prompt' }, 'user_prompt'],
    [
      { eventName: 'event src/telemetry.rs:77', attributes: { 'event.name': 'codex.user_prompt' } },
      'codex.user_prompt',
    ],
    [
      { name: 'User prompt. Length: 4.', attributes: { 'event.name': 'gemini_cli.user_prompt' } },
      'gemini_cli.user_prompt',
    ],
    [{ name: 'Please delete everything' }, ''],
  ])('names the event of %j %s', (given, name) => {
    expect(fromJson(logBatch([{ at: 1, ...given }]))).toEqual([expect.objectContaining({ name })]);
  });
});
