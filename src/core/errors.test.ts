import { describe, expect, it } from 'vitest';
import { ERRORS, RenownError, toErrorBody, toRenownError } from './errors.ts';
import { Issues } from './issues.ts';

describe('the error body', () => {
  it('has the message, the code, its status and the request, and details only where there are some', () => {
    expect(toErrorBody(new RenownError('usage', 'No.'), 'r1')).toEqual({
      error: 'No.',
      code: 'usage',
      status: 400,
      request_id: 'r1',
    });
    const details = [{ path: 'a', message: 'is wrong' }];
    expect(toErrorBody(new RenownError('invalid_request', 'No.', { details }), 'r2')).toMatchObject({
      details,
    });
  });
});

describe('anything thrown', () => {
  it('stays what it is when it is ours', () => {
    const ours = new RenownError('invalid_json', 'No.');
    expect(toRenownError(ours)).toBe(ours);
  });

  it.each([new Error('the payload was: hunter2'), 'hunter2', undefined])(
    'becomes `internal` without its message when it is not, and keeps it as the cause: %s',
    (thrown) => {
      const error = toRenownError(thrown);
      expect(error).toMatchObject({ code: 'internal', cause: thrown });
      expect(JSON.stringify(toErrorBody(error, 'r'))).not.toContain('hunter2');
    },
  );
});

describe('the table', () => {
  it('leaves exit codes from 10 to verdicts, and 0 to success', () => {
    for (const { exit } of Object.values(ERRORS)) expect(exit > 0 && exit < 10).toBe(true);
  });
});

describe('issues', () => {
  it('quote no text that was refused, and bound the name of the field', () => {
    const issues = new Issues();
    issues.number('hunter2', `signals.${'x'.repeat(10_000)}`, { min: 0, max: 1 });
    const thrown = catchError(() => issues.throwIfAny());
    expect(JSON.stringify(toErrorBody(thrown, 'r'))).not.toContain('hunter2');
    expect(thrown.details?.[0]?.path).toHaveLength(201);
  });

  it('throw nothing when there are none', () => {
    expect(() => new Issues().throwIfAny()).not.toThrow();
  });
});

function catchError(call: () => void): RenownError {
  try {
    call();
  } catch (error) {
    return error as RenownError;
  }
  throw new Error('nothing was thrown');
}
