import { RenownError } from '../core/errors.ts';

/** Another writer of a document came first. */
export function documentConflict(
  { kind, id }: { kind: string; id: string },
  { version, expectedVersion }: { version: number; expectedVersion: number },
): RenownError {
  return new RenownError(
    'conflict',
    `The ${kind} ${id} is at version ${version}, not ${expectedVersion}: another change came first. Read it again and repeat yours.`,
  );
}
