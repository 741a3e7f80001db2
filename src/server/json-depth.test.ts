import { describe, expect, it } from 'vitest';
import { checkDepth } from './json-depth.ts';

const check = (text: string, max: number) => () => checkDepth(Buffer.from(text), max);

describe('the depth of JSON', () => {
  it.each([
    ['{"a":[1,[2]]}', 3],
    ['[[],[],[[]]]', 3],
    ['"plain"', 0],
    ['{"a":"[[[[{{{{"}', 1],
    ['{"a\\"[[[[":"\\\\\\"[[[["}', 1],
    ['{"a":"\\\\"}', 1],
    ['', 0],
  ])('of %s is %i', (text, depth) => {
    expect(check(text, depth)).not.toThrow();
    if (depth > 0) expect(check(text, depth - 1)).toThrow('nested more than');
  });

  it('is found in what is no JSON, or breaks off, as well', () => {
    expect(check(`"unfinished ${'['.repeat(99)}`, 3)).not.toThrow();
    expect(check('['.repeat(99), 3)).toThrow('nested more than 3 levels');
  });
});
