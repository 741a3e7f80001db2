/** What each keyword of JSON Schema asserts. Each makes a check from its argument, and refuses an argument that is none. */
import { RenownError } from '../core/errors.ts';
import { canonical } from './canonical.ts';
import { fieldPath } from './field-path.ts';

export interface Validation {
  issues: { message: string; path: (string | number)[] }[];
  /** Above zero while alternatives are tried: what does not match there is no issue yet. */
  quiet: number;
  report(path: readonly (string | number)[], message: string): false;
  /** A value as a text to compare, within what one validation may spend. */
  canonical(value: unknown): string;
  step(): void;
  enter(path: readonly (string | number)[], within: () => boolean): boolean;
}

export type Check = (value: unknown, path: (string | number)[], validation: Validation) => boolean;

interface Making {
  argument: unknown;
  place: string;
  /** The place of the schema that the keyword stands in. */
  at: string;
  siblings: Record<string, unknown>;
  depth: number;
  compiler: {
    compile(schema: unknown, at: string, depth: number): Promise<Check>;
    pattern(source: unknown, at: string): Promise<{ test(text: string): boolean }>;
  };
}

export type Assertion = (making: Making) => Check | Promise<Check>;

type Fields = Record<string, unknown>;

export const ASSERTIONS: Record<string, Assertion> = {
  type: ({ argument, place }) => {
    const types = Array.isArray(argument) ? argument : [argument];
    if (types.length === 0 || !types.every((type) => TYPES.has(type)))
      throw misused(place, 'must name JSON types');
    return when(
      () => true,
      (value) => types.some((type) => isOfType(value, type)),
      `must be of type ${types.join(' or ')}`,
    );
  },
  enum: ({ argument, place }) => {
    const members = new Set(listOf(argument, place).map((member) => canonical(member)));
    return (value, path, validation) =>
      members.has(validation.canonical(value)) || validation.report(path, 'must be one of the values listed');
  },
  const: ({ argument }) => {
    const expected = canonical(argument);
    return (value, path, validation) =>
      validation.canonical(value) === expected || validation.report(path, 'must be the value given');
  },

  minimum: bound(isNumber, (value, limit) => value >= limit, 'must be at least'),
  maximum: bound(isNumber, (value, limit) => value <= limit, 'must be at most'),
  exclusiveMinimum: bound(isNumber, (value, limit) => value > limit, 'must be above'),
  exclusiveMaximum: bound(isNumber, (value, limit) => value < limit, 'must be below'),
  multipleOf: bound(isNumber, isMultiple, 'must be a multiple of', {
    accepts: (unit) => isNumber(unit) && unit > 0,
    says: 'must be a number above 0',
  }),
  minLength: count(isText, (value, limit) => codePoints(value) >= limit, 'must have a length of at least'),
  maxLength: count(isText, (value, limit) => codePoints(value) <= limit, 'must have a length of at most'),
  minItems: count(
    Array.isArray,
    (value, limit) => value.length >= limit,
    'must have a number of items of at least',
  ),
  maxItems: count(
    Array.isArray,
    (value, limit) => value.length <= limit,
    'must have a number of items of at most',
  ),
  minProperties: count(
    isFields,
    (value, limit) => Object.keys(value).length >= limit,
    'must have a number of fields of at least',
  ),
  maxProperties: count(
    isFields,
    (value, limit) => Object.keys(value).length <= limit,
    'must have a number of fields of at most',
  ),
  uniqueItems: ({ argument, place }) => {
    if (typeof argument !== 'boolean') throw misused(place, 'must be true or false');
    return (value, path, validation) =>
      !argument ||
      !Array.isArray(value) ||
      new Set(value.map((item) => validation.canonical(item))).size === value.length ||
      validation.report(path, 'must not repeat an item');
  },
  pattern: async ({ argument, place, compiler }) => {
    const expected = await compiler.pattern(argument, pathOf(place));
    return when(isText, (value) => expected.test(value), 'must match its pattern');
  },

  required: ({ argument, place }) => {
    const names = namesOf(argument, place);
    return (value, path, validation) => {
      if (!isFields(value)) return true;
      const missing = names.filter((name) => !Object.hasOwn(value, name));
      for (const name of missing) validation.report([...path, name], 'is missing');
      return missing.length === 0;
    };
  },
  dependentRequired: ({ argument, place }) => {
    const entries = Object.entries(fieldsOf(argument, place)).map(
      ([name, names]) => [name, namesOf(names, fieldPath(place, name))] as const,
    );
    return (value, path, validation) => {
      if (!isFields(value)) return true;
      const missing = entries
        .filter(([name]) => Object.hasOwn(value, name))
        .flatMap(([, names]) => names.filter((name) => !Object.hasOwn(value, name)));
      for (const name of missing) validation.report([...path, name], 'is missing');
      return missing.length === 0;
    };
  },
  properties: async ({ argument, place, compiler, depth }) => {
    const checks: [string, Check][] = [];
    for (const [name, schema] of Object.entries(fieldsOf(argument, place)))
      checks.push([name, await compiler.compile(schema, fieldPath(place, name), depth + 1)]);
    return (value, path, validation) =>
      !isFields(value) ||
      every(
        checks,
        ([name, check]) => !Object.hasOwn(value, name) || check(value[name], [...path, name], validation),
      );
  },
  patternProperties: async ({ argument, place, compiler, depth }) => {
    const checks: [{ test(text: string): boolean }, Check][] = [];
    for (const [source, schema] of Object.entries(fieldsOf(argument, place)))
      checks.push([
        await compiler.pattern(source, pathOf(fieldPath(place, source))),
        await compiler.compile(schema, fieldPath(place, source), depth + 1),
      ]);
    return (value, path, validation) =>
      !isFields(value) ||
      every(Object.keys(value), (name) =>
        every(
          checks,
          ([expected, check]) => !expected.test(name) || check(value[name], [...path, name], validation),
        ),
      );
  },
  additionalProperties: async ({ argument, place, siblings, compiler, depth }) => {
    const check = await compiler.compile(argument, place, depth + 1);
    const named = new Set(Object.keys((siblings.properties as Fields | undefined) ?? {}));
    const patterns = await Promise.all(
      Object.keys((siblings.patternProperties as Fields | undefined) ?? {}).map((source) =>
        compiler.pattern(source, pathOf(place)),
      ),
    );
    return (value, path, validation) =>
      !isFields(value) ||
      every(
        Object.keys(value),
        (name) =>
          named.has(name) ||
          patterns.some((one) => one.test(name)) ||
          check(value[name], [...path, name], validation),
      );
  },
  propertyNames: async ({ argument, place, compiler, depth }) => {
    const check = await compiler.compile(argument, place, depth + 1);
    return (value, path, validation) =>
      !isFields(value) || every(Object.keys(value), (name) => check(name, [...path, name], validation));
  },
  prefixItems: async ({ argument, place, compiler, depth }) => {
    const checks: Check[] = [];
    for (const [i, schema] of listOf(argument, place).entries())
      checks.push(await compiler.compile(schema, `${place}[${i}]`, depth + 1));
    return (value, path, validation) =>
      !Array.isArray(value) ||
      every(
        [...checks.entries()],
        ([i, check]) => i >= value.length || check(value[i], [...path, i], validation),
      );
  },
  items: async ({ argument, place, siblings, compiler, depth }) => {
    const check = await compiler.compile(argument, place, depth + 1);
    const from = Array.isArray(siblings.prefixItems) ? siblings.prefixItems.length : 0;
    return (value, path, validation) =>
      !Array.isArray(value) ||
      every([...value.slice(from).entries()], ([i, item]) => check(item, [...path, from + i], validation));
  },
  contains: async ({ argument, place, siblings, compiler, depth }) => {
    const check = await compiler.compile(argument, place, depth + 1);
    const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = siblings as Record<string, number>;
    return (value, path, validation) => {
      if (!Array.isArray(value)) return true;
      const count = value.filter((item) => quietly(validation, () => check(item, path, validation))).length;
      return (
        (count >= minContains && count <= maxContains) ||
        validation.report(path, 'must contain the items asked for')
      );
    };
  },
  // What these say is read by `contains`.
  minContains: count(isNothing, () => true, ''),
  maxContains: count(isNothing, () => true, ''),

  allOf: branches((count, of) => count === of, 'must match all alternatives', false),
  anyOf: branches((count) => count > 0, 'must match at least one alternative'),
  oneOf: branches((count) => count === 1, 'must match exactly one alternative'),
  not: async ({ argument, place, compiler, depth }) => {
    const check = await compiler.compile(argument, place, depth + 1);
    return (value, path, validation) =>
      !quietly(validation, () => check(value, path, validation)) || validation.report(path, 'must not match');
  },
  if: async ({ argument, place, at, siblings, compiler, depth }) => {
    const condition = await compiler.compile(argument, place, depth + 1);
    const then = await compiler.compile(siblings.then ?? true, fieldPath(at, 'then'), depth + 1);
    const otherwise = await compiler.compile(siblings.else ?? true, fieldPath(at, 'else'), depth + 1);
    return (value, path, validation) =>
      (quietly(validation, () => condition(value, path, validation)) ? then : otherwise)(
        value,
        path,
        validation,
      );
  },
};

const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isFields(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return isNumber(value);
  return typeof value === type;
}

/** A check of the values of one kind; others have nothing to do with it. */
function when<T>(
  isKind: (value: unknown) => value is T,
  holds: (value: T) => boolean,
  message: string,
): Check;
function when(
  isKind: (value: unknown) => boolean,
  holds: (value: unknown) => boolean,
  message: string,
): Check;
function when(isKind: (value: unknown) => boolean, holds: (value: never) => boolean, message: string): Check {
  return (value, path, validation) =>
    !isKind(value) || holds(value as never) || validation.report(path, message);
}

function bound<T>(
  isKind: (value: unknown) => value is T,
  holds: (value: T, limit: number) => boolean,
  message: string,
  { accepts, says } = { accepts: isNumber as (argument: unknown) => boolean, says: 'must be a number' },
): Assertion {
  return ({ argument, place }) => {
    if (!accepts(argument)) throw misused(place, says);
    return when(isKind, (value) => holds(value, argument as number), `${message} ${argument}`);
  };
}

/** A bound that counts something. */
function count<T>(
  isKind: (value: unknown) => value is T,
  holds: (value: T, limit: number) => boolean,
  message: string,
): Assertion {
  return bound(isKind, holds, message, {
    accepts: (argument) => Number.isInteger(argument) && (argument as number) >= 0,
    says: 'must be a whole number of at least 0',
  });
}

function branches(enough: (count: number, of: number) => boolean, message: string, quiet = true): Assertion {
  return async ({ argument, place, compiler, depth }) => {
    const checks: Check[] = [];
    for (const [i, schema] of listOf(argument, place).entries())
      checks.push(await compiler.compile(schema, `${place}[${i}]`, depth + 1));
    return (value, path, validation) => {
      const matches = checks.filter((check) =>
        quiet ? quietly(validation, () => check(value, path, validation)) : check(value, path, validation),
      ).length;
      if (enough(matches, checks.length)) return true;
      return quiet ? validation.report(path, message) : false;
    };
  };
}

/** Goes on after the first that does not hold, so that all issues are found. */
function every<T>(items: readonly T[], holds: (item: T) => boolean): boolean {
  let all = true;
  for (const item of items) if (!holds(item)) all = false;
  return all;
}

function quietly(validation: Validation, within: () => boolean): boolean {
  validation.quiet++;
  const matches = within();
  validation.quiet--;
  return matches;
}

function isNothing(_: unknown): _ is never {
  return false;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMultiple(value: number, unit: number): boolean {
  const ratio = value / unit;
  return Math.abs(ratio - Math.round(ratio)) <= 1e-9 * Math.max(1, Math.abs(ratio));
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function listOf(argument: unknown, place: string): unknown[] {
  if (!Array.isArray(argument)) throw misused(place, 'must be a list');
  return argument;
}

function namesOf(argument: unknown, place: string): string[] {
  const names = listOf(argument, place);
  if (!names.every(isText)) throw misused(place, 'must be a list of names');
  return names;
}

function fieldsOf(argument: unknown, place: string): Fields {
  if (!isFields(argument)) throw misused(place, 'must be an object');
  return argument;
}

export function misused(place: string, message: string): RenownError {
  const path = pathOf(place);
  return new RenownError('invalid_request', `${path} ${message}.`, { details: [{ path, message }] });
}

/** A place in a schema as a refusal names it. */
function pathOf(place: string): string {
  return place === '' || place.startsWith('[') ? `schema${place}` : `schema.${place}`;
}
