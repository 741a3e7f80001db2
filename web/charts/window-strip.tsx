/** The window as 500 cells, oldest first: each leads to its evaluation, and the failures stand out. */
import { useState } from 'preact/hooks';
import { fullTime } from '../format.ts';
import { Values } from '../ui/parts.tsx';
import type { Window } from '../wire.ts';

const COLUMNS = 50;
const CELL = 10;

export function WindowStrip({ items, size }: { items: Window['items']; size: number }) {
  const [at, setAt] = useState<number | null>(null);
  const rows = size / COLUMNS;
  const failed = items.filter(({ passed }) => !passed).length;
  const chosen = at === null ? undefined : items[at];
  function point(event: PointerEvent) {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * COLUMNS);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    setAt(row * COLUMNS + column);
  }
  return (
    <>
      <svg
        class="strip"
        viewBox={`0 0 ${COLUMNS * CELL} ${rows * CELL}`}
        role="img"
        aria-label={`${items.length} evaluations, oldest first: ${items.length - failed} passed, ${failed} failed`}
        onPointerMove={point}
        onPointerLeave={() => setAt(null)}
      >
        <path class="none" d={cells(items.length, size)} />
        <path class="passed" d={cellsOf(items, true)} />
        <path class="failed" d={cellsOf(items, false)} />
        {chosen && at !== null && (
          <rect
            class="chosen"
            x={(at % COLUMNS) * CELL}
            y={Math.floor(at / COLUMNS) * CELL}
            width={CELL}
            height={CELL}
            rx="2"
          />
        )}
      </svg>
      <p class="note strip-note">
        {chosen
          ? `${fullTime(chosen.received_at)} · ${chosen.passed ? 'passed' : `failed ${chosen.failed_gates.join(', ')}`}${chosen.tool ? ` · ${chosen.tool}` : ''}`
          : `${items.length} of ${size}, oldest first; ${failed} failed.`}
      </p>
      <Values
        caption="The evaluations of the window, newest first"
        head={['Received', 'Verdict', 'Tool', 'Gates took', 'Failed']}
        rows={items
          .map((one) => [
            fullTime(one.received_at),
            one.passed ? 'passed' : 'failed',
            one.tool ?? '',
            `${one.total_latency_ms.toFixed(2)} ms`,
            one.failed_gates.join(', '),
          ])
          .reverse()}
      />
    </>
  );
}

/** One path for all cells of a kind: 500 elements would be slow to lay out and say no more. */
function cellsOf(items: Window['items'], passed: boolean): string {
  return items.map((one, i) => (one.passed === passed ? cell(i) : '')).join('');
}

function cells(from: number, to: number): string {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => cell(from + i)).join('');
}

function cell(i: number): string {
  return `M${(i % COLUMNS) * CELL + 1} ${Math.floor(i / COLUMNS) * CELL + 1}h${CELL - 2}v${CELL - 2}h${2 - CELL}z`;
}
