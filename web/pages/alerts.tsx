import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../api.ts';
import { refresh, useQuery } from '../query.ts';
import { agentPath, sessionPath } from '../router.ts';
import { canAdminister } from '../session.ts';
import { ListTable } from '../ui/list-table.tsx';
import { usePages } from '../ui/pager.tsx';
import { Chip, PageHead, Panel, Problem, Skeleton } from '../ui/parts.tsx';
import { Ago } from '../ui/time.tsx';
import type { AlertPage, AlertTest, Settings } from '../wire.ts';
import { Webhooks } from './alerts/webhooks.tsx';

type Alert = AlertPage['items'][number];

const KINDS: Record<Alert['kind'], string> = {
  score_below_floor: 'below the floor',
  change_detected: 'got worse',
  monitor_failed: 'monitor failed',
  session_doffed: 'session doffed',
  coverage_lost: 'coverage lost',
  test: 'test',
};

export function Alerts() {
  return (
    <>
      <PageHead title="Alerts">{canAdminister.value && <TestButton />}</PageHead>
      <div class="stack">
        <Raised />
        {canAdminister.value && <Floor />}
        {canAdminister.value && <Webhooks />}
      </div>
    </>
  );
}

function Raised() {
  const pager = usePages<Alert>('v1/alerts', { order: 'newest', limit: 30 }, { everyMs: 10_000 });
  return (
    <Panel title="Raised" note="newest first; the same alert is said once in a while">
      <ListTable
        list={pager}
        columns={['What', 'About', 'Message', { number: 'When' }]}
        empty="None. One is raised when an agent got worse, or when its score falls below the floor."
        row={(alert) => (
          <tr key={alert.alert_id}>
            <td>
              <Chip tone={alert.kind === 'test' ? 'plain' : 'bad'}>{KINDS[alert.kind]}</Chip>
            </td>
            <td>
              <Subject alert={alert} />
            </td>
            <td>{alert.message}</td>
            <td class="number">
              <Ago at={alert.at} />
            </td>
          </tr>
        )}
      />
    </Panel>
  );
}

function Subject({ alert: { kind, subject } }: { alert: Alert }) {
  if (kind === 'score_below_floor' || kind === 'change_detected')
    return <a href={agentPath(subject)}>{subject}</a>;
  if (kind === 'session_doffed') return <a href={sessionPath(subject)}>{subject}</a>;
  return <>{subject}</>;
}

function TestButton() {
  const [result, setResult] = useState('');
  const test = () =>
    ask<AlertTest>('v1/alerts/test', { method: 'POST' })
      .then(async ({ deliveries }) => {
        const arrived = deliveries.filter(({ delivered }) => delivered).length;
        setResult(
          deliveries.length === 0
            ? 'Raised; there is no webhook.'
            : `${arrived} of ${deliveries.length} webhooks took it.`,
        );
        await refresh('v1/alerts');
      })
      .catch((error: ApiError) => setResult(error.message));
  return (
    <>
      <span class="note" role="status">
        {result}
      </span>
      <button type="button" onClick={() => void test()}>
        Send a test
      </button>
    </>
  );
}

function Floor() {
  const { data, error } = useQuery<Settings>('v1/settings');
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [saved, setSaved] = useState(false);
  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const floor = String(form.get('floor'));
    try {
      const body = {
        score_floor: floor === '' ? null : Number(floor),
        alert_quiet_s: Math.round(60 * Number(form.get('quiet'))),
      };
      await ask('v1/settings', { method: 'PATCH', body });
      setFailure(null);
      setSaved(true);
      await refresh('v1/settings');
    } catch (thrown) {
      setFailure(thrown as ApiError);
    }
  }
  return (
    <Panel title="When">
      <Problem error={error.value ?? failure} />
      {!data.value && !error.value && <Skeleton rows={1} height={32} />}
      {data.value && (
        <form class="row" onSubmit={submit} onInput={() => setSaved(false)}>
          <label>
            Floor{' '}
            <input
              name="floor"
              type="number"
              min="0"
              max="1000"
              placeholder="none"
              defaultValue={data.value.score_floor ?? ''}
            />
          </label>
          <label>
            Quiet for{' '}
            <input
              name="quiet"
              type="number"
              min="0"
              max="43200"
              defaultValue={data.value.alert_quiet_s / 60}
            />{' '}
            minutes
          </label>
          <button type="submit">Save</button>
          <span class="note" role="status">
            {saved && 'Saved.'}
          </span>
        </form>
      )}
    </Panel>
  );
}
