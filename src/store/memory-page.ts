import type { Page } from './page.ts';

/** The first so many of what comes after a cursor. */
export function pageOf<T, R>(
  rows: readonly T[],
  limit: number,
  cursorOf: (row: T) => string,
  toItem: (row: T) => R,
): Page<R> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items: items.map(toItem), nextCursor: last && rows.length > limit ? cursorOf(last) : null };
}
