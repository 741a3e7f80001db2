/** The first rows of a long list, and a button for more: a browser is slow to draw ten thousand of anything. */
import { useState } from 'preact/hooks';
import { count } from '../format.ts';

const STEP = 500;

export function useFirstRows<T>(rows: readonly T[]) {
  const [shown, setShown] = useState(STEP);
  const left = rows.length - shown;
  return {
    first: rows.length <= shown ? rows : rows.slice(0, shown),
    more: left > 0 && (
      <button type="button" class="quiet" onClick={() => setShown(shown + STEP)}>
        {count(Math.min(STEP, left))} more of {count(rows.length)}
      </button>
    ),
  };
}
