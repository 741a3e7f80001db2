import { z } from 'zod';
import { RenownError } from '../errors.ts';
import { Issues } from '../issues.ts';

/**
 * Unknown JSON as T, or an `invalid_request` that names each bad field. Schemas here check shapes; names and ranges that
 * a score refuses are checked once, by that score's own function. The texts are our own: zod's quote what was sent.
 */
export function parseWith<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = new Issues();
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) issues.add(toPath([...issue.path, key]), 'is no field of this request');
    } else {
      issues.add(
        toPath(issue.path),
        issue.code === 'invalid_type'
          ? `must be ${EXPECTED[issue.expected] ?? issue.expected}`
          : issue.message,
      );
    }
  }
  issues.throwIfAny();
  throw result.error;
}

/** Does what may refuse its input, and says in the refusal where that input stood. */
export function namingPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RenownError)) throw error;
    const details = error.details ?? [];
    throw new RenownError(error.code, `${place}: ${error.message}`, { details, cause: error });
  }
}

/**
 * An object with whatever names it has, handed on untouched. `z.record` would drop a field called `__proto__` without a
 * word, where an unknown name has to be refused.
 */
export const anyFields = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'must be an object' },
);

const EXPECTED: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a finite number',
  boolean: 'true or false',
};

/** `['traces', 3, 'trace_id']` as `traces[3].trace_id`. */
function toPath(keys: readonly PropertyKey[]): string {
  return keys
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}
