import type { LedgerRow, Page, Store } from '../../../src/store/store.ts';

export async function allPages<T>(read: (cursor: string | null) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

/** Everything a ledger holds, in an order that does not depend on the engine. */
export async function everything(store: Store): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for await (const row of store.upkeep.export()) rows.push(row);
  const facts = ['evaluation', 'reputation_event', 'signal_report', 'session_score'];
  const kinds = ['org', 'key', 'agent', ...facts, 'audit', 'document'];
  return rows.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}

export async function* stream<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

export function range(from: number, to: number): number[] {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + i * step);
}
