/**
 * JSON Schema 2020-12 without what needs a network or a record of what was evaluated: no remote `$ref`, no `$dynamicRef`,
 * no `unevaluated*`. Such keywords are refused when the schema is compiled, not ignored; `format` is an annotation, as the
 * standard has it by default. Patterns run in linear time.
 *
 * A schema can ask for exponential work (`oneOf` within `oneOf`), so every validation has a budget of steps, and a value
 * that uses it up does not match.
 */
import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { canonical } from './canonical.ts';
import { fieldPath } from './field-path.ts';
import { Undecided } from './gate.ts';
import {
  ASSERTIONS,
  type Assertion,
  type Check,
  misused,
  type Validation,
} from './json-schema-assertions.ts';
import type { LinearPattern } from './linear-pattern.ts';

interface JsonSchemaResult {
  issues: { message: string; path: (string | number)[] }[];
}

/** Keywords that say something about a schema and nothing about a value. */
const ANNOTATIONS = new Set(
  `$schema $id $anchor $comment $defs definitions title description default examples deprecated readOnly writeOnly format
   contentEncoding contentMediaType contentSchema then else`.split(/\s+/),
);

export async function compileJsonSchema(root: unknown): Promise<(value: unknown) => JsonSchemaResult> {
  const compiler = new Compiler(root);
  const check = await compiler.compile(root, '', 0);
  await compiler.finish();
  return (value) => {
    const validation = createValidation();
    check(value, [], validation);
    return { issues: validation.issues };
  };
}

class Compiler {
  readonly #root: unknown;
  readonly #references = new Map<string, { check?: Check }>();
  readonly #waiting: { pointer: string; at: string; slot: { check?: Check } }[] = [];

  constructor(root: unknown) {
    this.#root = root;
  }

  /** A check of everything a schema says. `at` is its place in the document, for refusals. */
  async compile(schema: unknown, at: string, depth: number): Promise<Check> {
    if (typeof schema === 'boolean') return schema ? () => true : fail('must not be here');
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      throw misused(at, 'must be an object, true or false');
    if (depth > CLIENT_LIMITS.gateDepthMax) throw misused(at, 'is nested too deeply');
    const checks: Check[] = [];
    const keywords = schema as Record<string, unknown>;
    for (const [keyword, argument] of Object.entries(keywords)) {
      const place = fieldPath(at, keyword);
      if (ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) continue;
      const make: Assertion | undefined = Object.hasOwn(ASSERTIONS, keyword)
        ? ASSERTIONS[keyword]
        : undefined;
      if (keyword === '$ref') checks.push(this.#refer(argument, place));
      else if (make)
        checks.push(await make({ argument, place, at, siblings: keywords, compiler: this, depth }));
      else throw misused(place, 'is not supported');
    }
    return (value, path, validation) => {
      validation.step();
      let matches = true;
      for (const check of checks) if (!check(value, path, validation)) matches = false;
      return matches;
    };
  }

  async pattern(source: unknown, at: string): Promise<LinearPattern> {
    return (await import('./linear-pattern.ts')).compilePattern(source, at);
  }

  /** Compiles what `$ref` pointed to; a reference to a schema that refers to itself is met again, and is known then. */
  async finish(): Promise<void> {
    for (const { pointer, at, slot } of this.#waiting) {
      const { schema, place } = this.#resolve(pointer, at);
      slot.check = await this.compile(schema, place, 0);
    }
  }

  #refer(pointer: unknown, at: string): Check {
    if (typeof pointer !== 'string' || !/^#(?:\/|$)/.test(pointer))
      throw misused(at, 'must point into this document, as #/$defs/name does');
    let slot = this.#references.get(pointer);
    if (!slot) {
      slot = {};
      this.#references.set(pointer, slot);
      this.#waiting.push({ pointer, at, slot });
    }
    const target = slot;
    return (value, path, validation) =>
      validation.enter(path, () => (target.check as Check)(value, path, validation));
  }

  /** What a pointer points to, and its place in the document, so that a fault there is told with its own path. */
  #resolve(pointer: string, at: string): { schema: unknown; place: string } {
    let schema: unknown = this.#root;
    let place = '';
    for (const part of pointer === '#' ? [] : pointer.slice(2).split('/')) {
      const key = decoded(part)?.replaceAll('~1', '/').replaceAll('~0', '~');
      if (key === undefined) throw misused(at, 'is no pointer: a percent sign is followed by two digits');
      if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key))
        throw misused(at, 'points to nothing in this document');
      place = Array.isArray(schema) ? `${place}[${key}]` : fieldPath(place, key);
      schema = (schema as Record<string, unknown>)[key];
    }
    return { schema, place };
  }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function createValidation(): Validation {
  let steps = 0;
  let depth = 0;
  // For all comparisons of one validation together: a value that shares its parts has more paths than there are atoms.
  const budget = { nodes: CLIENT_LIMITS.gateNodesMax as number };
  const validation: Validation = {
    issues: [],
    quiet: 0,
    report(path, message) {
      if (validation.quiet === 0) validation.issues.push({ path: [...path], message });
      return false;
    },
    step() {
      if (++steps > CLIENT_LIMITS.schemaStepsMax) throw tooMuch();
    },
    canonical(value) {
      const text = canonical(value, budget);
      if (budget.nodes <= 0) throw tooMuch();
      return text;
    },
    enter(path, within) {
      if (depth >= CLIENT_LIMITS.gateDepthMax) return validation.report(path, 'is nested too deeply');
      depth++;
      const matches = within();
      depth--;
      return matches;
    },
  };
  return validation;
}

/** Nobody can say then whether it matches, and it is not the agent's fault. */
function tooMuch(): Undecided {
  return new Undecided('The output needs more work than a schema may ask for.');
}

function fail(message: string): Check {
  return (_, path, validation) => validation.report(path, message);
}
