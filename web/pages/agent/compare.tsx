/** Two versions, models or gate suites side by side, with an interval for the difference. */
import { useState } from 'preact/hooks';
import { withQuery } from '../../api.ts';
import { percent, shortDay, signed } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Choice, Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import type { Comparison } from '../../wire.ts';

const BY = [
  { value: 'version', text: 'Version' },
  { value: 'model', text: 'Model' },
  { value: 'suite', text: 'Gate suite' },
] as const;

export function ComparePanel({ id }: { id: string }) {
  const [by, setBy] = useState<(typeof BY)[number]['value']>('version');
  const path = withQuery(`v1/reputation/${encodeURIComponent(id)}/compare`, { by });
  const { data, error } = useQuery<Comparison>(path);
  return (
    <Panel title="Compare" action={<Choice label="Compare by" value={by} options={BY} onChange={setBy} />}>
      <Problem error={error.value} />
      {data.value ? <Sides comparison={data.value} by={by} /> : !error.value && <Skeleton rows={4} />}
    </Panel>
  );
}

function Sides({ comparison: { before, after, difference }, by }: { comparison: Comparison; by: string }) {
  if (!before || !after || !difference) {
    const only = after ?? before;
    return (
      <p class="note">
        {only
          ? `All evaluations that say so are of one ${by}: ${only.value}.`
          : `No evaluation names its ${by}.`}
      </p>
    );
  }
  const decided = difference.low > 0 ? 'good' : difference.high < 0 ? 'bad' : '';
  return (
    <>
      <table>
        <tbody>
          {[before, after].map((side) => (
            <tr key={side.value}>
              <th scope="row">{side.value}</th>
              <td class="number">{percent(side.pass_rate)}</td>
              <td class="number note">
                {percent(side.pass_rate_low)}–{percent(side.pass_rate_high)}
              </td>
              <td class="number note">
                {side.evaluations}, from {shortDay(side.first_at)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        Difference <b class={decided}>{signed(100 * difference.pass_rate, 1)} points</b>, between{' '}
        {signed(100 * difference.low, 1)} and {signed(100 * difference.high, 1)} with 95 % confidence
        {decided === '' && ': it may be chance'}.
      </p>
    </>
  );
}
