/** What moved the score: by component, and by the evaluations that came and went. It adds up exactly. */
import { useState } from 'preact/hooks';
import { withQuery } from '../../api.ts';
import { signed } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Choice, Panel, Problem, Skeleton, Values } from '../../ui/parts.tsx';
import type { Explanation } from '../../wire.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SPANS = [
  { value: '1', text: '1 day' },
  { value: '7', text: '7 days' },
] as const;
const PARTS = [
  ['pass_rate', 'Pass rate'],
  ['latency', 'Gate latency'],
  ['streak', 'Streak'],
  ['volume', 'Volume'],
] as const;
const SHOWN = 5;

export function MovedPanel({ id }: { id: string }) {
  const [days, setDays] = useState<'1' | '7'>('1');
  const since = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - Number(days) * DAY_MS;
  const path = withQuery(`v1/reputation/${encodeURIComponent(id)}/explain`, { since });
  const { data, error } = useQuery<Explanation>(path);
  return (
    <Panel
      title="What moved it"
      action={<Choice label="Time span" value={days} options={SPANS} onChange={setDays} />}
    >
      <Problem error={error.value} />
      {data.value ? <Moved explanation={data.value} /> : !error.value && <Skeleton rows={5} />}
    </Panel>
  );
}

function Moved({ explanation }: { explanation: Explanation }) {
  const { before, after, difference, components, rounding, contributions } = explanation;
  const most = [...contributions].sort((a, b) => Math.abs(b.points) - Math.abs(a.points)).slice(0, SHOWN);
  return (
    <>
      <p class="moved-line">
        {before} → {after} <b class={toneOf(difference)}>{signed(difference)}</b>
        <span class="note">
          {contributions.filter(({ change }) => change === 'pushed').length} came,{' '}
          {contributions.filter(({ change }) => change === 'evicted').length} left the window
        </span>
      </p>
      <table>
        <tbody>
          {PARTS.map(([key, name]) => (
            <tr key={key}>
              <td>{name}</td>
              <td class={`number ${toneOf(components[key])}`}>{signed(components[key], 2)}</td>
            </tr>
          ))}
          <tr>
            <td>Rounding down</td>
            <td class="number">{signed(rounding, 2)}</td>
          </tr>
        </tbody>
      </table>
      {most.length > 0 && (
        <Values
          caption="The evaluations that moved it most"
          head={['Evaluation', 'What', 'Points']}
          rows={most.map(({ evaluation_id, change, passed, points }) => [
            evaluation_id,
            `${change === 'pushed' ? 'came' : 'left'}, ${passed ? 'passed' : 'failed'}`,
            signed(points, 3),
          ])}
        />
      )}
    </>
  );
}

function toneOf(value: number): string {
  return value > 0.005 ? 'good' : value < -0.005 ? 'bad' : '';
}
