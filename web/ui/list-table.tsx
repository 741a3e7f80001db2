/** Tables of what the API lists. */
import type { ComponentChildren } from 'preact';
import { More, type Pager } from './pager.tsx';
import { Problem, Skeleton } from './parts.tsx';

/** A column of text, of numbers, or of something whose name only screen readers need. */
type Column = string | { number: string } | { unnamed: string };

/** Scrolls by itself where the page is too narrow for it. */
export function WideTable({
  columns,
  children,
}: {
  columns: readonly Column[];
  children: ComponentChildren;
}) {
  return (
    <div class="wide-table">
      <table>
        <thead>
          <tr>{columns.map(headOf)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function headOf(column: Column) {
  if (typeof column === 'string') {
    return (
      <th key={column} scope="col">
        {column}
      </th>
    );
  }
  if ('number' in column) {
    return (
      <th key={column.number} scope="col" class="number">
        {column.number}
      </th>
    );
  }
  return (
    <th key={column.unnamed} scope="col">
      <span class="unseen">{column.unnamed}</span>
    </th>
  );
}

/** A list: what went wrong with it, that it is on its way, that it is empty, or its rows. */
export function ListTable<T>({
  list,
  columns,
  empty,
  row,
}: {
  list: Pager<T>;
  columns: readonly Column[];
  empty: ComponentChildren;
  row(item: T): ComponentChildren;
}) {
  const { items, error } = list;
  return (
    <>
      <Problem error={error} />
      {!items && !error && <Skeleton rows={3} height={32} />}
      {items?.length === 0 && <p class="note">{empty}</p>}
      {items && items.length > 0 && <WideTable columns={columns}>{items.map(row)}</WideTable>}
      <More pager={list} />
    </>
  );
}
