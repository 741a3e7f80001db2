import { type Gate, type GateContext, type GateFinding, PASSED } from './gate.ts';

/** The part of https://standardschema.dev that validates; zod, valibot and arktype have it. */
export interface StandardSchema {
  '~standard': {
    validate(value: unknown): StandardResult | Promise<StandardResult>;
  };
}

interface StandardResult {
  issues?: readonly SchemaIssue[] | undefined;
}

interface SchemaIssue {
  message: string;
  path?: readonly unknown[] | undefined;
}

export interface SchemaOptions {
  target?: 'output' | 'input';
  /** To tell several gates of this kind apart. */
  name?: string;
}

const ISSUES_SHOWN = 5;

/**
 * Fails when the output (or the input, which is skipped when absent) does not match a Standard Schema or a JSON Schema
 * 2020-12. The reason counts the issues; the first five are in the details, because they may quote the payload.
 */
export async function schema(
  expected: StandardSchema | Readonly<Record<string, unknown>> | boolean,
  { target = 'output', name = 'schema' }: SchemaOptions = {},
): Promise<Gate> {
  const validate = isStandard(expected)
    ? (value: unknown) => expected['~standard'].validate(value)
    : // Loaded by those who use one: half of the gates' code is in it.
      await (await import('./json-schema.ts')).compileJsonSchema(expected);
  return {
    name,
    run(context: GateContext) {
      if (target === 'input' && context.input === undefined) return { passed: true, skipped: true };
      const result = validate(context[target]);
      return result instanceof Promise
        ? result.then((late) => toFinding(late, target))
        : toFinding(result, target);
    },
  };
}

function isStandard(value: unknown): value is StandardSchema {
  return typeof (value as StandardSchema | undefined)?.['~standard']?.validate === 'function';
}

function toFinding({ issues = [] }: StandardResult, target: string): GateFinding {
  if (issues.length === 0) return PASSED;
  const count = issues.length === 1 ? '1 issue' : `${issues.length} issues`;
  return {
    passed: false,
    reason: `The ${target} does not match its schema: ${count}.`,
    details: {
      count: issues.length,
      issues: issues.slice(0, ISSUES_SHOWN).map(({ message, path }) => ({ message, path })),
    },
  };
}
