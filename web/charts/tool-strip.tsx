/** The tool calls of a session, one after another: a cell each, and the failures stand out. */
import { fullTime } from '../format.ts';
import { Values } from '../ui/parts.tsx';
import type { ToolResults } from '../wire.ts';

const COLUMNS = 40;
const CELL = 10;

export function ToolStrip({ items }: { items: ToolResults['items'] }) {
  const failed = items.filter(({ ok }) => !ok).length;
  const rows = Math.max(1, Math.ceil(items.length / COLUMNS));
  const path = (ok: boolean) => items.map((one, i) => (one.ok === ok ? cell(i) : '')).join('');
  return (
    <>
      <svg
        class="strip tool-strip"
        viewBox={`0 0 ${COLUMNS * CELL} ${rows * CELL}`}
        role="img"
        aria-label={`${items.length} tool calls in order: ${items.length - failed} went well, ${failed} failed`}
      >
        <path class="passed" d={path(true)} />
        <path class="failed" d={path(false)} />
      </svg>
      <Values
        caption="The tool calls of the session, in order"
        head={['Ended', 'Tool', 'Result', 'Took']}
        rows={items.map(({ at, tool, ok, duration_ms }) => [
          fullTime(at),
          tool,
          ok ? 'well' : 'failed',
          duration_ms === null ? '' : `${Math.round(duration_ms)} ms`,
        ])}
      />
    </>
  );
}

function cell(i: number): string {
  return `M${(i % COLUMNS) * CELL + 1} ${Math.floor(i / COLUMNS) * CELL + 1}h${CELL - 2}v${CELL - 2}h${2 - CELL}z`;
}
