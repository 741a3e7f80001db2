import { RenownError } from '../../core/errors.ts';

/** A cursor that is a place in a table; null for the first page. */
export function parseSeqCursor(cursor: string | null | undefined): number | null {
  if (cursor === null || cursor === undefined) return null;
  if (!/^\d{1,15}$/.test(cursor)) throw unknownCursor();
  return Number(cursor);
}

export function unknownCursor(): RenownError {
  return new RenownError('invalid_request', 'The cursor is none that this list gave out.');
}
