import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { walkText } from './walk-text.ts';

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const textOf = (value: unknown) => walkText(value).text;

describe('the text of a value', () => {
  it('is a text itself, or every text in it with the names of its fields', () => {
    expect(textOf('abc')).toBe('abc');
    expect(textOf({ a: 'x', b: ['y', { c: 'z' }] })).toBe('a\fx\fb\fy\fc\fz');
    expect(textOf(new Map([['k', new Set(['v'])]]))).toBe('k\fv');
    expect(textOf(new Error('broken'))).toBe('broken');
    expect(textOf([null, undefined, true, 5, Symbol('s'), () => 1])).toBe('');
  });

  it('has numbers that are long enough to be a card', () => {
    expect(textOf({ card: 4111111111111111, n: 12n ** 20n })).toBe(
      `card\f4111111111111111\fn\f${12n ** 20n}`,
    );
  });

  it('enters a cycle once', () => {
    const cycle: Record<string, unknown> = { name: 'x' };
    cycle.self = cycle;
    expect(textOf(cycle)).toBe('name\fx\fself');
  });

  it('goes on behind a getter that throws and a proxy that refuses', () => {
    const hostile = {
      get a(): string {
        throw new Error('no');
      },
      b: new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
      c: 'seen',
    };
    expect(textOf(hostile)).toBe('a\fb\fc\fseen');
  });

  it('reads bytes and the object around a string', () => {
    expect(textOf(Buffer.from('rm -rf é'))).toBe('rm -rf é');
    expect(textOf({ a: new Uint8Array([0x68, 0x69]), b: new Float64Array(3) })).toBe('a\fhi\fb');
    expect(textOf([new String('boxed')])).toBe('boxed');
  });

  it.each([
    [
      'a proxy without a prototype',
      new Proxy(
        {},
        {
          getPrototypeOf() {
            throw new Error('no');
          },
        },
      ),
    ],
    ['a revoked proxy', revoked()],
    ['what only looks like a map', Object.create(Map.prototype)],
    ['a map that cannot be iterated', Object.assign(new Map(), { [Symbol.iterator]: () => 1 })],
  ])('goes on behind %s', (_, value) => {
    expect(textOf(value)).toBe('');
    expect(textOf([value, 'seen'])).toBe('seen');
  });

  it('stops at its bounds', () => {
    expect(textOf('x'.repeat(CLIENT_LIMITS.gateTextLengthMax + 1))).toHaveLength(
      CLIENT_LIMITS.gateTextLengthMax,
    );
    expect(textOf(Array(50).fill('x'.repeat(100_000)))).toHaveLength(CLIENT_LIMITS.gateTextLengthMax);
    let deep: unknown = 'bottom';
    for (let i = 0; i < 100; i++) deep = [deep];
    expect(textOf(deep)).toBe('');
    expect(textOf({ length: 1e9, a: new Array(1e8) })).toBe('length\f1000000000\fa');
  });

  it('throws on nothing', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withSparseArray: true, withTypedArray: true }),
        (value) => {
          expect(typeof textOf(value)).toBe('string');
        },
      ),
    );
  });
});
