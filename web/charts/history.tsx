/** The score over time, with marks where something about the agent changed. */
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { fullTime, percent, shortDay } from '../format.ts';
import { Values } from '../ui/parts.tsx';
import type { Changes, History } from '../wire.ts';
import { axis, type Colours, Plot } from './plot.tsx';

type Mark = Changes['marks'][number];

const KINDS: Record<Mark['kind'], string> = {
  model: 'Model',
  version: 'Version',
  suite: 'Gate suite',
  change_detected: 'Got worse',
};

export function HistoryChart({ points, marks }: { points: History['points']; marks: readonly Mark[] }) {
  // An agent without evaluations had no score yet: its line begins with the first.
  const data = useMemo<uPlot.AlignedData>(
    () => [
      points.map(({ at }) => Date.parse(at) / 1000),
      points.map(({ score, eval_count }) => (eval_count === 0 ? null : score)),
      points.map(({ pass_rate, eval_count }) => (eval_count === 0 ? null : pass_rate * 1000)),
    ],
    [points],
  );
  const known = points.filter(({ eval_count }) => eval_count > 0);
  // One point makes no line.
  const dots = { show: known.length === 1 };
  const first = points[0]?.at ?? '';
  const shown = marks.filter(({ at }) => at >= first);
  const options = (colours: Colours): Omit<uPlot.Options, 'width' | 'height'> => ({
    padding: [16, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: [0, 1000] } },
    axes: [days(colours), axis(colours, { size: 44, incrs: [250] })],
    series: [
      {},
      { stroke: colours.accent, width: 2, fill: `${colours.accent}14`, points: dots },
      { stroke: colours.muted, width: 1, dash: [3, 3], points: dots },
    ],
    plugins: [markLines(shown, colours), readout(points, colours)],
  });
  if (known.length === 0) return <p class="note">The history begins with the first evaluation.</p>;
  return (
    <>
      <Plot label="Score over time" height={240} data={data} options={options} />
      <p class="legend">
        <span class="key score">Score</span>
        <span class="key rate">Pass rate, 100 % at the top</span>
      </p>
      {shown.length > 0 && (
        <ul class="marks">
          {shown.map(({ at, kind, value }) => (
            <li key={`${at}${kind}`} class={kind === 'change_detected' ? 'bad' : ''}>
              <time dateTime={at}>{fullTime(at)}</time>
              <b>{KINDS[kind]}</b> {kind === 'change_detected' ? `to ${value}` : value}
            </li>
          ))}
        </ul>
      )}
      <Values
        caption="Score over time"
        head={['At', 'Score', 'Evaluations', 'Pass rate', 'Streak']}
        rows={known.map(({ at, score, eval_count, pass_rate, streak }) => [
          fullTime(at),
          score,
          eval_count,
          percent(pass_rate),
          streak,
        ])}
      />
    </>
  );
}

/** Whole days, in the viewer's own words. */
function days(colours: Colours): uPlot.Axis {
  const DAY_S = 86_400;
  return axis(colours, {
    grid: { show: false },
    size: 30,
    space: 64,
    incrs: [1, 2, 3, 5, 7, 10, 14, 30].map((count) => count * DAY_S),
    values: (_, splits) => splits.map((seconds) => shortDay(seconds * 1000)),
  });
}

/** A line for each mark, red where the detector says that the agent got worse. */
function markLines(marks: readonly Mark[], { muted, bad }: Colours): uPlot.Plugin {
  return {
    hooks: {
      draw(plot) {
        const { ctx, bbox } = plot;
        ctx.save();
        for (const { at, kind } of marks) {
          const x = Math.round(plot.valToPos(Date.parse(at) / 1000, 'x', true));
          ctx.strokeStyle = kind === 'change_detected' ? bad : muted;
          ctx.lineWidth = devicePixelRatio;
          ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
        }
        ctx.restore();
      },
    },
  };
}

/** What the point under the cursor says, in a corner where it hides nothing. */
function readout(points: History['points'], { muted }: Colours): uPlot.Plugin {
  return {
    hooks: {
      init(plot) {
        const box = document.createElement('div');
        box.className = 'readout';
        plot.over.append(box);
      },
      setCursor(plot) {
        const box = plot.over.querySelector<HTMLElement>('.readout');
        const point = plot.cursor.idx == null ? undefined : points[plot.cursor.idx];
        if (!box) return;
        box.textContent = point?.eval_count
          ? `${fullTime(point.at)}   ${point.score} points   ${percent(point.pass_rate)} passed`
          : '';
        box.style.color = muted;
      },
    },
  };
}
