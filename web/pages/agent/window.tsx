import { WindowStrip } from '../../charts/window-strip.tsx';
import { count, fullTime, milliseconds, percent } from '../../format.ts';
import type { Query } from '../../query.ts';
import { Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import type { Reputation, Window } from '../../wire.ts';

export function WindowPanel({ query: { data, error }, size }: { query: Query<Window>; size: number }) {
  return (
    <Panel title="Window" note={`the last ${size} that count`} class="window-panel">
      <Problem error={error.value} />
      {data.value ? <WindowStrip items={data.value.items} size={size} /> : <Skeleton rows={1} height={120} />}
    </Panel>
  );
}

export function GatesPanel({ query: { data } }: { query: Query<Window> }) {
  const gates = data.value?.gates;
  const most = Math.max(1, ...(gates ?? []).map(({ failed }) => failed));
  return (
    <Panel title="Failing gates" note="in the window">
      {!gates && <Skeleton rows={4} />}
      {gates?.every(({ failed }) => failed === 0) && <p class="note">No gate has failed.</p>}
      <ul class="gates">
        {gates
          ?.filter(({ failed }) => failed > 0)
          .map(({ name, failed, passed, last_failure }) => (
            <li key={name}>
              <p>
                <b>{name}</b>
                <span class="number">
                  {count(failed)} <small>of {count(failed + passed)}</small>
                </span>
              </p>
              <span class="meter">
                <i style={{ width: `${(100 * failed) / most}%` }} />
              </span>
              {last_failure && (
                <small title={fullTime(last_failure.at)}>{last_failure.reason ?? 'no reason given'}</small>
              )}
            </li>
          ))}
      </ul>
    </Panel>
  );
}

/** Half are faster than the median; one in twenty is slower than the 95th. */
export function LatencyPanel({
  query: { data },
  reputation,
}: {
  query: Query<Window>;
  reputation: Reputation;
}) {
  const items = data.value?.items ?? [];
  const gates = items.map(({ total_latency_ms }) => total_latency_ms);
  const agent = items.flatMap(({ latency_ms }) => (latency_ms === null ? [] : [latency_ms]));
  return (
    <Panel title="Latency">
      {!data.value && <Skeleton rows={3} />}
      {data.value && (
        <table class="latency">
          <thead>
            <tr>
              <td />
              <th scope="col" class="number">
                Mean
              </th>
              <th scope="col" class="number">
                Median
              </th>
              <th scope="col" class="number">
                95th
              </th>
            </tr>
          </thead>
          <tbody>
            <LatencyRow
              name="Gates"
              note="part of the score"
              mean={reputation.avg_latency_ms}
              values={gates}
            />
            <LatencyRow
              name="Agent"
              note={`no part of it; known of ${percent(items.length === 0 ? 0 : agent.length / items.length, 0)}`}
              mean={reputation.avg_agent_latency_ms}
              values={agent}
            />
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function LatencyRow({
  name,
  note,
  mean,
  values,
}: {
  name: string;
  note: string;
  mean: number | null;
  values: readonly number[];
}) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const show = (value: number | null | undefined) => (value == null ? '–' : milliseconds(value));
  return (
    <tr>
      <th scope="row">
        {name}
        <small>{note}</small>
      </th>
      <td class="number">{values.length === 0 ? '–' : show(mean)}</td>
      <td class="number">{show(at(0.5))}</td>
      <td class="number">{show(at(0.95))}</td>
    </tr>
  );
}
