/**
 * Patterns of users in the RE2 subset, run in linear time. JavaScript's own engine backtracks, so that a pattern of ten
 * characters can stop a process for hours; here no pattern can. The library is loaded with the first pattern.
 */

import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { RenownError } from '../core/errors.ts';

export interface LinearPattern {
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean;
}

/** Refuses look-around, back-references and whatever else RE2 leaves out. `path` says where the pattern stands. */
export async function compilePattern(source: unknown, path: string): Promise<LinearPattern> {
  if (typeof source !== 'string' || source.length > CLIENT_LIMITS.patternLengthMax) {
    throw refusal(path, `must be a text of at most ${CLIENT_LIMITS.patternLengthMax} characters`);
  }
  const { RE2JS } = await loadLibrary();
  let compiled: InstanceType<typeof RE2JS>;
  try {
    compiled = RE2JS.compile(source);
  } catch (cause) {
    throw refusal(path, 'is no pattern of the RE2 subset: no look-around, no back-references', cause);
  }
  // Linear in the text, but each character may cost as much as the pattern is long with its repeats written out.
  if (compiled.programSize() > CLIENT_LIMITS.patternStepsMax)
    throw refusal(
      path,
      `has more than ${CLIENT_LIMITS.patternStepsMax} steps with its repeats written out: repeat less`,
    );
  return { test: (text) => compiled.matcher(text).find() };
}

async function loadLibrary() {
  try {
    return await import('re2js');
  } catch (cause) {
    throw new RenownError('usage', 'Patterns need the package re2js: run `npm install re2js`.', { cause });
  }
}

function refusal(path: string, message: string, cause?: unknown): RenownError {
  return new RenownError('invalid_request', `${path} ${message}.`, { details: [{ path, message }], cause });
}
