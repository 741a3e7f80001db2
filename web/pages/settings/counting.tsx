import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api.ts';
import { refresh, useQuery } from '../../query.ts';
import { Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import type { Settings } from '../../wire.ts';

const KINDS = [
  ['server', 'Judged by gates of this server'],
  ['signed', 'Reported under a signature of the org'],
  ['reported', 'Reported without one'],
] as const;

/** Which evaluations count, by how they are known. */
export function CountingPanel() {
  const { data, error } = useQuery<Settings>('v1/settings');
  const [failure, setFailure] = useState<ApiError | null>(null);
  const chosen = data.value?.counting_kinds ?? [];
  async function change(kind: (typeof KINDS)[number][0], on: boolean) {
    const counting_kinds = KINDS.map(([name]) => name).filter((name) =>
      name === kind ? on : chosen.includes(name),
    );
    try {
      await ask('v1/settings', { method: 'PATCH', body: { counting_kinds } });
      setFailure(null);
    } catch (thrown) {
      setFailure(thrown as ApiError);
    }
    await refresh('v1/settings');
  }
  return (
    <Panel title="What counts" note="from now on">
      <Problem error={error.value ?? failure} />
      {!data.value && !error.value && <Skeleton rows={3} />}
      {data.value &&
        KINDS.map(([kind, text]) => (
          <label key={kind} class="switch">
            <input
              type="checkbox"
              checked={chosen.includes(kind)}
              disabled={chosen.length === 1 && chosen.includes(kind)}
              onChange={(event) => void change(kind, event.currentTarget.checked)}
            />
            {text}
          </label>
        ))}
    </Panel>
  );
}
