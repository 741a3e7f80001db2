import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../test/support/judge.ts';
import { Undecided } from './gate.ts';
import { latency } from './latency.ts';
import { pattern } from './pattern.ts';
import { schema } from './schema.ts';

const signal = new AbortController().signal;

describe('latency', () => {
  const gate = latency({ maxMs: 100 });

  it.each([
    [100, { passed: true }],
    [100.1, { passed: false, reason: 'The agent took longer than 100 ms.' }],
    [undefined, { passed: true, skipped: true }],
    [null, { passed: true, skipped: true }],
    [Number.NaN, { passed: true, skipped: true }],
  ])('judges %s', (latencyMs, expected) => {
    expect(gate.run({ agent_id: 'a', output: 1, latency_ms: latencyMs as number }, signal)).toEqual(expected);
  });

  it('refuses a limit that is none', () => {
    expect(() => latency({ maxMs: -1 })).toThrow('maxMs');
  });
});

describe('pattern', () => {
  it('fails on what is denied', async () => {
    const gate = await pattern({ deny: ['corp\\.internal', '(?i)confidential'] });
    expect(judge(gate, 'see wiki.corp.internal')).toEqual({
      passed: false,
      reason: 'Denied pattern 1 occurs.',
    });
    expect(judge(gate, { note: 'CONFIDENTIAL' })).toEqual({
      passed: false,
      reason: 'Denied pattern 2 occurs.',
    });
    expect(judge(gate, 'public')).toEqual({ passed: true });
  });

  it('fails on what is not allowed', async () => {
    const gate = await pattern({ allow: ['^yes$', '^no$'] });
    expect(judge(gate, 'yes').passed).toBe(true);
    expect(judge(gate, 'perhaps').passed).toBe(false);
  });

  it.each(['a(?=b)', '(?<!a)b', '(a)\\1', '(', 'a{1001}', '', '[a-z]{1,900}\\d', '(?:[a-z]{1,30}){30}'])(
    'refuses %j when it is made',
    async (source) => {
      await expect(pattern({ deny: [source] })).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path: 'deny[0]' }],
      });
    },
  );

  it('refuses to be made of nothing', async () => {
    await expect(pattern({})).rejects.toThrow('deny and allow must hold 1 to 100 patterns together, not 0');
  });

  it('takes a pattern that would stop a backtracking engine', async () => {
    const gate = await pattern({ deny: ['^(a+)+$'] });
    expect(judge(gate, `${'a'.repeat(50_000)}!`).passed).toBe(true);
  });
});

describe('schema', () => {
  it('takes a Standard Schema', async () => {
    const gate = await schema(z.object({ name: z.string(), age: z.number() }));
    expect(judge(gate, { name: 'Ann', age: 4 })).toEqual({ passed: true });
    expect(judge(gate, { age: 'four' })).toMatchObject({
      passed: false,
      reason: 'The output does not match its schema: 2 issues.',
      details: { count: 2 },
    });
  });

  it('waits for a Standard Schema that takes its time', async () => {
    const slow = { '~standard': { validate: async () => ({ issues: [{ message: 'no' }] }) } };
    const finding = await (await schema(slow)).run({ agent_id: 'a', output: 1 }, signal);
    expect(finding.passed).toBe(false);
  });

  it('shows five issues, and counts all', async () => {
    const gate = await schema({ items: { type: 'string' } });
    expect(judge(gate, [1, 2, 3, 4, 5, 6, 7])).toMatchObject({
      reason: 'The output does not match its schema: 7 issues.',
      details: { count: 7, issues: [{}, {}, {}, {}, {}] },
    });
  });

  it('looks at the input when told so, and skips an evaluation without one', async () => {
    const gate = await schema({ type: 'string' }, { target: 'input' });
    expect(gate.run({ agent_id: 'a', output: 1 }, signal)).toEqual({ passed: true, skipped: true });
    expect(gate.run({ agent_id: 'a', output: 1, input: 'x' }, signal)).toEqual({ passed: true });
    expect(gate.run({ agent_id: 'a', output: 'x', input: 1 }, signal)).toMatchObject({ passed: false });
  });
});

describe('a JSON Schema', () => {
  it.each([
    [{ type: 'integer' }, [1, -0, 2 ** 53], [1.5, '1', null]],
    [{ type: ['string', 'null'] }, ['', null], [0, undefined]],
    [{ enum: [1, 'a', { b: [1] }] }, [1, 'a', { b: [1] }], ['1', { b: [2] }]],
    [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
    [{ minimum: 1, exclusiveMaximum: 2 }, [1, 1.9, 'text'], [0.9, 2]],
    [{ maximum: 1, exclusiveMinimum: 0 }, [1, 0.1], [0, 1.1]],
    [{ multipleOf: 0.1 }, [0.3, 1], [0.35]],
    [{ minLength: 2, maxLength: 3 }, ['ab', '👍👍👍', 5], ['a', 'abcd']],
    [{ pattern: '^a+$' }, ['aaa', 1], ['b']],
    [{ pattern: '' }, ['', 'a'], []],
    [{ contains: { type: 'number' }, minContains: 0 }, [[], [1]], []],
    [
      { minItems: 1, maxItems: 2, uniqueItems: true },
      [[1], [1, 2], {}],
      [[], [1, 2, 3], [{ a: 1 }, { a: 1 }]],
    ],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [['a', 1], []], [[1], ['a', 'b']]],
    [{ contains: { type: 'number' }, minContains: 2, maxContains: 3 }, [[1, 'a', 2]], [[1], [1, 2, 3, 4]]],
    [
      { required: ['a'], properties: { a: { type: 'string' } } },
      [{ a: '' }, 'not an object'],
      [{}, { a: 1 }],
    ],
    [
      { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: false },
      [{ a: 1, xy: 2 }],
      [{ b: 1 }],
    ],
    [{ patternProperties: { '^n': { type: 'number' } } }, [{ n1: 1, m: 'x' }], [{ n1: 'x' }]],
    [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 2, c: 3 }]],
    [{ dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [3]],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 5], [4]],
    [{ oneOf: [{ minimum: 1 }, { minimum: 5 }] }, [2], [0, 6]],
    [{ not: { type: 'string' } }, [1], ['a']],
    [JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}'), ['ab', 2], ['a', 1]],
    [
      {
        $ref: '#/$defs/tree',
        $defs: { tree: { properties: { child: { $ref: '#/$defs/tree' }, n: { type: 'number' } } } },
      },
      [{ child: { child: { n: 1 } } }],
      [{ child: { n: 'x' } }],
    ],
    [true, [1], []],
    [false, [], [1]],
  ])('%j holds for the right values', async (expected, good, bad) => {
    const gate = await schema(expected as Record<string, unknown>);
    expect(good.filter((value) => !judge(gate, value).passed)).toEqual([]);
    expect(bad.filter((value) => judge(gate, value).passed)).toEqual([]);
  });

  it.each([
    [{ $ref: 'https://example.com/schema' }, 'schema.$ref'],
    [{ $ref: '#/$defs/missing' }, 'schema.$ref'],
    [{ $ref: '#/%' }, 'schema.$ref'],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'text' } } }, 'schema.$defs.a.type'],
    [{ properties: { 'a.b': { type: 'text' } } }, 'schema.properties["a.b"].type'],
    [{ patternProperties: { '^x[a]': { type: 'text' } } }, 'schema.patternProperties["^x[a]"].type'],
    [{ dependentRequired: { a: 'b' } }, 'schema.dependentRequired.a'],
    [{ dependentRequired: { a: [1] } }, 'schema.dependentRequired.a'],
    [{ multipleOf: 0 }, 'schema.multipleOf'],
    [{ minLength: -1 }, 'schema.minLength'],
    [{ maxItems: 1.5 }, 'schema.maxItems'],
    [{ contains: {}, minContains: 'x' }, 'schema.minContains'],
    [{ uniqueItems: 'yes' }, 'schema.uniqueItems'],
    [{ required: [1] }, 'schema.required'],
    [JSON.parse('{"if":{},"then":{"type":"text"}}'), 'schema.then.type'],
    [{ pattern: {} }, 'schema.pattern'],
    [{ pattern: '[a-z]{1,900}\\d' }, 'schema.pattern'],
    [{ unevaluatedProperties: false }, 'schema.unevaluatedProperties'],
    [{ properties: { a: { tpye: 'string' } } }, 'schema.properties.a.tpye'],
    [{ type: 'text' }, 'schema.type'],
    [{ minimum: '1' }, 'schema.minimum'],
    [{ pattern: '(?=a)' }, 'schema.pattern'],
    [{ items: 3 }, 'schema.items'],
    [{ required: 'a' }, 'schema.required'],
  ])('refuses %j when it is made', async (expected, path) => {
    await expect(schema(expected as Record<string, unknown>)).rejects.toMatchObject({ details: [{ path }] });
  });

  it.each([
    ['enum', { enum: [1] }],
    ['const', { const: 1 }],
    ['uniqueItems', { properties: { list: { uniqueItems: true } } }],
  ])('gives up on a value that holds itself twice (%s)', async (_, expected) => {
    const value: Record<string, unknown> = {};
    value.x = value;
    value.y = value;
    value.list = [value, value];
    const gate = await schema(expected);
    expect(() => judge(gate, value)).toThrow(Undecided);
  });

  it('gives up on a schema that asks for too much', async () => {
    const branch = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] };
    const gate = await schema({
      $ref: '#/$defs/a',
      $defs: { a: { properties: { x: branch, y: branch }, type: 'object', maxProperties: 0 } },
    });
    let value: unknown = {};
    for (let i = 0; i < 30; i++) value = { x: value, y: value };
    expect(() => judge(gate, value)).toThrow(Undecided);
  });
});
