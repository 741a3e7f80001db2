/**
 * A table of any length of which only the rows on the screen exist. The page itself scrolls; rows have one height, so that
 * what is above and below is a number and not a measurement.
 */
import { Component, type ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<T> {
  key: string;
  name: ComponentChildren;
  /** Which order it sorts by; none for a column that cannot. */
  sort?: string;
  class?: string;
  cell(row: T): ComponentChildren;
}

interface TableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowHeight: number;
  sorted?: { by: string; descending: boolean };
  onSort?(by: string): void;
}

const OVERSCAN = 1;
const ROWS_MAX = 64;

export function VirtualTable<T>(props: TableProps<T>) {
  const { label, columns, rows, rowHeight, sorted, onSort } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  /** Always as many rows as fit: what leaves the screen on one side comes back on the other with new content. */
  const [range, setRange] = useState({ from: 0, size: 20 });

  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const size = Math.min(rows.length, ROWS_MAX, Math.ceil(innerHeight / rowHeight) + 1 + 2 * OVERSCAN);
      const from = Math.max(0, Math.min(Math.floor(-top / rowHeight) - OVERSCAN, rows.length - size));
      setRange((was) => (was.from === from && was.size === size ? was : { from, size }));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, [rows.length, rowHeight]);

  const shown = rows.slice(range.from, range.from + range.size);
  const above = Math.min(range.from, rows.length) * rowHeight;
  const below = Math.max(0, rows.length - range.from - shown.length) * rowHeight;
  return (
    <table class="virtual" aria-label={label} aria-rowcount={rows.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <Head key={column.key} column={column} sorted={sorted} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {above > 0 && <Space height={above} span={columns.length} />}
        {shown.map((row, i) => (
          <Row
            key={(range.from + i) % range.size}
            row={row}
            index={range.from + i + 2}
            columns={columns}
            height={rowHeight}
          />
        ))}
        {below > 0 && <Space height={below} span={columns.length} />}
      </tbody>
    </table>
  );
}

interface RowProps<T> {
  row: T;
  index: number;
  columns: readonly Column<T>[];
  height: number;
}

/** A row that was on the screen before is left as it is: scrolling costs only what is new. */
class Row<T> extends Component<RowProps<T>> {
  override shouldComponentUpdate({ row, index, columns }: RowProps<T>): boolean {
    return row !== this.props.row || index !== this.props.index || columns !== this.props.columns;
  }

  override render({ row, index, columns, height }: RowProps<T>) {
    return (
      <tr aria-rowindex={index} style={{ height: `${height}px` }}>
        {columns.map(({ key, class: name, cell }) => (
          <td key={key} class={name}>
            {cell(row)}
          </td>
        ))}
      </tr>
    );
  }
}

function Space({ height, span }: { height: number; span: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without anything in it takes no focus.
    <tr class="space" aria-hidden="true">
      <td colSpan={span} style={{ height: `${height}px` }} />
    </tr>
  );
}

function Head<T>({
  column: { name, sort, class: style },
  sorted,
  onSort,
}: {
  column: Column<T>;
  sorted: TableProps<T>['sorted'];
  onSort: TableProps<T>['onSort'];
}) {
  const isSorted = sort !== undefined && sorted?.by === sort;
  return (
    <th
      scope="col"
      class={style}
      aria-sort={isSorted ? (sorted.descending ? 'descending' : 'ascending') : undefined}
    >
      {sort === undefined || !onSort ? (
        name
      ) : (
        <button type="button" onClick={() => onSort(sort)}>
          {name}
          <i aria-hidden="true">{isSorted ? (sorted.descending ? '↓' : '↑') : ''}</i>
        </button>
      )}
    </th>
  );
}
