import { percent } from '../format.ts';

const WIDTH = 120;
const HEIGHT = 28;
const PAD = 2;

/** The pass rate of each day as a line; days without evaluations are bridged, and their share of the work is a faint bar. */
export function Sparkline({
  evaluations,
  passed,
}: {
  evaluations: readonly number[];
  passed: readonly number[];
}) {
  const last = evaluations.length - 1;
  const most = Math.max(1, ...evaluations);
  const step = (WIDTH - 2 * PAD) / Math.max(1, last);
  let line = '';
  let bars = '';
  let total = 0;
  let good = 0;
  let end: { x: number; y: number } | undefined;
  evaluations.forEach((count, i) => {
    if (count === 0) return;
    const ok = passed[i] ?? 0;
    total += count;
    good += ok;
    const x = round(PAD + i * step);
    const y = round(PAD + (1 - ok / count) * (HEIGHT - 2 * PAD));
    line += `${line === '' ? 'M' : 'L'}${x} ${y}`;
    bars += `M${x} ${HEIGHT}V${round(HEIGHT - (count / most) * (HEIGHT - PAD) * 0.6)}`;
    end = { x, y };
  });
  const label =
    total === 0 ? 'No evaluations in 30 days' : `30 days: ${percent(good / total)} of ${total} passed`;
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path class="volume" d={bars} />
      <path class="line" d={line} />
      {end && <path class="end" d={`M${end.x} ${end.y}h0`} />}
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
