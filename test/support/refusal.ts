import { expect } from 'vitest';
import { RenownError } from '../../src/core/errors.ts';

/** The call throws an `invalid_request` whose details name the path, and whose message does too when it stands first. */
export function expectRefusal(call: () => unknown, path: string): void {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(RenownError);
    const { code, details = [] } = error as RenownError;
    expect(code).toBe('invalid_request');
    expect(details.map((issue) => issue.path)).toContain(path);
    return;
  }
  expect.fail(`nothing was refused; expected ${path}`);
}
