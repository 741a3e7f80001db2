import { LIMITS } from '../core/limits.ts';
import type { Document } from '../store/store.ts';
import type { ServiceContext } from './context.ts';

/** All documents of one kind, a page at a time. A page may be deleted before the next is asked for. */
export async function* walkDocuments(
  { store: { documents } }: Pick<ServiceContext, 'store'>,
  orgId: string,
  kind: string,
): AsyncGenerator<Document[], void, undefined> {
  let cursor: string | null = null;
  do {
    const { items, nextCursor } = await documents.list(orgId, kind, { cursor, limit: LIMITS.pageSizeMax });
    yield items;
    cursor = nextCursor;
  } while (cursor !== null);
}
