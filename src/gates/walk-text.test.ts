import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { walkText } from './walk-text.ts';

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('the text of a value', () => {
  it('is a text itself, or every text in it with the names of its fields', () => {
    expect(walkText('abc')).toBe('abc');
    expect(walkText({ a: 'x', b: ['y', { c: 'z' }] })).toBe('a\fx\fb\fy\fc\fz');
    expect(walkText(new Map([['k', new Set(['v'])]]))).toBe('k\fv');
    expect(walkText(new Error('broken'))).toBe('broken');
    expect(walkText([null, undefined, true, 5, Symbol('s'), () => 1])).toBe('');
  });

  it('has numbers that are long enough to be a card', () => {
    expect(walkText({ card: 4111111111111111, n: 12n ** 20n })).toBe(
      `card\f4111111111111111\fn\f${12n ** 20n}`,
    );
  });

  it('enters a cycle once', () => {
    const cycle: Record<string, unknown> = { name: 'x' };
    cycle.self = cycle;
    expect(walkText(cycle)).toBe('name\fx\fself');
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
    expect(walkText(hostile)).toBe('a\fb\fc\fseen');
  });

  it('reads bytes and the object around a string', () => {
    expect(walkText(Buffer.from('rm -rf é'))).toBe('rm -rf é');
    expect(walkText({ a: new Uint8Array([0x68, 0x69]), b: new Float64Array(3) })).toBe('a\fhi\fb');
    expect(walkText([new String('boxed')])).toBe('boxed');
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
    expect(walkText(value)).toBe('');
    expect(walkText([value, 'seen'])).toBe('seen');
  });

  it('stops at its bounds', () => {
    expect(walkText('x'.repeat(CLIENT_LIMITS.gateTextLengthMax + 1))).toHaveLength(
      CLIENT_LIMITS.gateTextLengthMax,
    );
    expect(walkText(Array(50).fill('x'.repeat(100_000)))).toHaveLength(CLIENT_LIMITS.gateTextLengthMax);
    let deep: unknown = 'bottom';
    for (let i = 0; i < 100; i++) deep = [deep];
    expect(walkText(deep)).toBe('');
    expect(walkText({ length: 1e9, a: new Array(1e8) })).toBe('length\f1000000000\fa');
  });

  it('throws on nothing', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withSparseArray: true, withTypedArray: true }),
        (value) => {
          expect(typeof walkText(value)).toBe('string');
        },
      ),
    );
  });
});
