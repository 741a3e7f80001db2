import { useState } from 'preact/hooks';
import { withQuery } from '../../api.ts';
import { HistoryChart } from '../../charts/history.tsx';
import { useQuery } from '../../query.ts';
import { Choice, Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import type { Changes, History } from '../../wire.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const SPANS = [
  { value: '7', text: '7 days', step: '2h' },
  { value: '30', text: '30 days', step: '6h' },
  { value: '90', text: '90 days', step: '1d' },
] as const;

export function HistoryPanel({ id, changes }: { id: string; changes: Changes | undefined }) {
  const [days, setDays] = useState<(typeof SPANS)[number]['value']>('30');
  const step = SPANS.find(({ value }) => value === days)?.step;
  // By the full hour, so that the same chart is asked for by the same address.
  const from = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - Number(days) * DAY_MS;
  const path = withQuery(`v1/reputation/${encodeURIComponent(id)}/history`, { from, step });
  const { data, error } = useQuery<History>(path);
  return (
    <Panel
      title="History"
      class="history-panel"
      action={<Choice label="Time span" value={days} options={SPANS} onChange={setDays} />}
    >
      <Problem error={error.value} />
      {data.value ? (
        <HistoryChart points={data.value.points} marks={changes?.marks ?? []} />
      ) : (
        <Skeleton rows={1} height={240} />
      )}
    </Panel>
  );
}
