import type { z } from 'zod';
import { Issues } from '../issues.ts';

/**
 * Unknown JSON as T, or an `invalid_request` that names each bad field. Schemas here check shapes; the ranges that
 * a score refuses are checked once, by that score's own function.
 */
export function parseWith<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = new Issues();
  for (const { path, message } of result.error.issues) issues.add(toPath(path), `is refused: ${message}`);
  issues.throwIfAny();
  throw result.error;
}

/** `['traces', 3, 'trace_id']` as `traces[3].trace_id`. */
function toPath(keys: readonly PropertyKey[]): string {
  return keys
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}
