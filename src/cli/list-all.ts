import { LIMITS } from '../core/limits.ts';
import type { Ledger } from './ledger.ts';

/** All that a list of the API has, in pages that are asked for when they are needed. */
export async function* listAll<T>(ledger: Ledger, orgId: string, path: string): AsyncGenerator<T> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({
      limit: String(LIMITS.pageSizeMax),
      ...(cursor !== '' && { cursor }),
    });
    const page: { items: T[]; next_cursor: string | null } = await ledger.ask(orgId, {
      path: `${path}?${query}`,
    });
    yield* page.items;
    cursor = page.next_cursor;
  }
}
