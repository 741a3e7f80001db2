import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonCursor, JsonFault } from './json-cursor.ts';

/** A document built with the cursor alone. */
function readAll(text: string): unknown {
  const cursor = new JsonCursor();
  const bytes = Buffer.from(text);
  cursor.reset(bytes, 0, bytes.length);
  const value = readValue(cursor);
  cursor.finish();
  return value;
}

function readValue(cursor: JsonCursor): unknown {
  const start = cursor.position;
  const scalar = cursor.readScalar();
  if (scalar !== undefined) return scalar;
  cursor.seek(start);
  if (cursor.enterObject()) {
    const object: Record<string, unknown> = {};
    for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
      Object.defineProperty(object, key, {
        value: readValue(cursor),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return object;
  }
  cursor.seek(start);
  const list: unknown[] = [];
  cursor.enterArray();
  while (cursor.nextElement()) list.push(readValue(cursor));
  return list;
}

describe('the cursor over JSON', () => {
  it('reads any document as JSON.parse does, whatever the white space', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.constantFrom(undefined, 2, '\t'),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(readAll(text)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    '"\\\\"',
    '"a\\"b"',
    '"\\\\\\""',
    '"\\u00e4\\n"',
    '"Grüße 🎭"',
    '"Grüße \\"🎭\\" \\\\"',
    '["\\\\","\\"",""]',
    '{"\\"k":1}',
  ])('reads %s, where quotes and backslashes meet', (text) => {
    expect(readAll(text)).toEqual(JSON.parse(text));
  });

  it('skips any value and goes on behind it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = JSON.stringify({ skipped: value, read: 'here' });
        const cursor = new JsonCursor();
        const bytes = Buffer.from(text);
        cursor.reset(bytes, 0, bytes.length);
        cursor.enterObject();
        cursor.nextKey();
        cursor.skipValue();
        expect(cursor.nextKey()).toBe('read');
        expect(cursor.readScalar()).toBe('here');
      }),
    );
  });

  it('faults on a document that breaks off, wherever it does', () => {
    const whole = JSON.stringify({ a: [1, { b: 'c\\"d' }], e: null, f: true });
    for (let end = 0; end < whole.length; end++)
      expect(() => readAll(whole.slice(0, end))).toThrow(JsonFault);
    expect(() => readAll(`${whole}x`)).toThrow(JsonFault);
  });

  it('ends on any bytes, with a value or a fault', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const cursor = new JsonCursor();
        cursor.reset(Buffer.from(bytes), 0, bytes.length);
        try {
          cursor.skipValue();
          cursor.finish();
        } catch (error) {
          expect(error).toBeInstanceOf(JsonFault);
        }
      }),
    );
  });
});
