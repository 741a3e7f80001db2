/** The risk of each turn as a bar; those above a half are flagged. */
import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import { Values } from '../ui/parts.tsx';
import { axis, type Colours, Plot } from './plot.tsx';

interface Risks {
  step_risk?: number;
  confidence_risk?: number;
  loop_risk?: number;
  tool_risk?: number;
  coherence_risk?: number;
}

const FLAG = 0.5;
const show = (value: number | undefined) => value?.toFixed(3) ?? '–';

export function RiskChart({
  metadata,
  order,
}: {
  metadata: Record<string, unknown>;
  order: readonly { trace_id: string }[];
}) {
  const turns = useMemo(() => {
    const risks = metadata.per_trace_signals as Record<string, Risks>;
    const ids = order.length > 0 ? order.map(({ trace_id }) => trace_id) : Object.keys(risks);
    return ids.flatMap((id) => (risks[id] ? [{ id, ...risks[id] }] : []));
  }, [metadata, order]);
  const data = useMemo<uPlot.AlignedData>(() => {
    const values = turns.map(({ step_risk = 0 }) => step_risk);
    return [
      turns.map((_, i) => i),
      values.map((value) => (value <= FLAG ? value : null)),
      values.map((value) => (value > FLAG ? value : null)),
    ];
  }, [turns]);
  const most = turns.reduce((highest, { step_risk = 0 }) => Math.max(highest, step_risk), 1);
  const bars = uPlot.paths.bars?.({ size: [0.7, 44], radius: 0.12 });
  const options = (colours: Colours): Omit<uPlot.Options, 'width' | 'height'> => ({
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: [-0.6, turns.length - 0.4] }, y: { range: [0, most] } },
    axes: [
      axis(colours, {
        grid: { show: false },
        size: 30,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500],
        values: (_, splits) => splits.map((i) => (Number.isInteger(i) ? (turns[i]?.id ?? '') : '')),
      }),
      axis(colours, { size: 40, incrs: [0.25, 0.5, 1] }),
    ],
    series: [
      {},
      {
        fill: colours.accent,
        stroke: colours.accent,
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      },
      {
        fill: colours.bad,
        stroke: colours.bad,
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      },
    ],
    plugins: [flagLine(colours)],
  });
  const flagged = turns.filter(({ step_risk = 0 }) => step_risk > FLAG).length;
  return (
    <>
      <Plot
        label={`Risk of ${turns.length} turns, ${flagged} flagged`}
        height={200}
        data={data}
        options={options}
      />
      <Values
        caption="Risk by turn"
        head={['Turn', 'Risk', 'Confidence', 'Loops', 'Tools', 'Coherence', '']}
        rows={turns.map((turn) => [
          turn.id,
          show(turn.step_risk),
          show(turn.confidence_risk),
          show(turn.loop_risk),
          show(turn.tool_risk),
          show(turn.coherence_risk),
          (turn.step_risk ?? 0) > FLAG ? 'flagged' : '',
        ])}
      />
    </>
  );
}

function flagLine({ muted }: Colours): uPlot.Plugin {
  return {
    hooks: {
      draw({ ctx, bbox, valToPos }) {
        const y = Math.round(valToPos(FLAG, 'y', true));
        ctx.save();
        ctx.strokeStyle = muted;
        ctx.lineWidth = devicePixelRatio;
        ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
        ctx.restore();
      },
    },
  };
}
