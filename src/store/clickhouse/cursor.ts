import { RenownError } from '../../core/errors.ts';

/** Where a row stands in the order of arrival: the time, then the place among those of the same time, then the id. */
export interface Position {
  at: number;
  place: number;
  id: string;
}

export function toCursor({ at, place, id }: Position): string {
  return `${at}:${place}:${id}`;
}

export function parseCursor(cursor: string): Position {
  const [, at, place, id] = /^(-?\d{1,16}):(\d{1,10}):(.*)$/s.exec(cursor) ?? [];
  if (at === undefined || place === undefined || id === undefined) {
    throw new RenownError('invalid_request', 'The cursor is none that this list gave out.');
  }
  return { at: Number(at), place: Number(place), id };
}
