/** Lists that the API gives page by page: the first is kept fresh, further ones are added on request. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, ask, withQuery } from '../api.ts';
import { useQuery } from '../query.ts';

interface PageOf<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Pager<T> {
  items: T[] | undefined;
  error: ApiError | null;
  /** Undefined when there is no more. */
  more: (() => void) | undefined;
}

export function usePages<T>(
  path: string,
  query: Record<string, string | number | undefined>,
  { everyMs = 0 }: { everyMs?: number } = {},
): Pager<T> {
  const first = withQuery(path, query);
  const { data, error } = useQuery<PageOf<T>>(first, { everyMs });
  const [rest, setRest] = useState<PageOf<T>>({ items: [], next_cursor: null });
  const [failure, setFailure] = useState<ApiError | null>(null);
  useEffect(() => setRest({ items: [], next_cursor: null }), [first]);
  const cursor = rest.items.length > 0 ? rest.next_cursor : data.value?.next_cursor;
  async function more() {
    try {
      const page = await ask<PageOf<T>>(withQuery(path, { ...query, cursor: cursor ?? '' }));
      setRest((was) => ({ items: [...was.items, ...page.items], next_cursor: page.next_cursor }));
      setFailure(null);
    } catch (thrown) {
      setFailure(thrown as ApiError);
    }
  }
  return {
    items: data.value && [...data.value.items, ...rest.items],
    error: error.value ?? failure,
    more: cursor ? () => void more() : undefined,
  };
}

export function More({ pager }: { pager: Pager<unknown> }) {
  if (!pager.more) return null;
  return (
    <p class="more">
      <button type="button" onClick={pager.more}>
        Show more
      </button>
    </p>
  );
}
