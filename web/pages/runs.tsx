import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../api.ts';
import { refresh, useQuery } from '../query.ts';
import { query } from '../router.ts';
import { canAdminister } from '../session.ts';
import { ListTable } from '../ui/list-table.tsx';
import { usePages } from '../ui/pager.tsx';
import { Chip, PageHead, Panel, Problem } from '../ui/parts.tsx';
import { Ago } from '../ui/time.tsx';
import type { Monitor, MonitorPage, Run } from '../wire.ts';
import { describePlan } from './runs/plan.ts';
import { PlanDialog } from './runs/plan-dialog.tsx';
import { RunState } from './runs/run-state.tsx';

export function Runs() {
  const session = query.value.get('session') ?? '';
  const [dialog, setDialog] = useState<'run' | 'monitor' | null>(session ? 'run' : null);
  const close = () => setDialog(null);
  return (
    <>
      <PageHead title="Runs and monitors">
        {canAdminister.value && (
          <button type="button" onClick={() => setDialog('monitor')}>
            New monitor
          </button>
        )}
        <button type="button" class="primary" onClick={() => setDialog('run')}>
          New run
        </button>
      </PageHead>
      <div class="stack">
        <Monitors />
        <RunList />
      </div>
      {dialog && <PlanDialog kind={dialog} session={session} onClose={close} />}
    </>
  );
}

function Monitors() {
  const { data, error } = useQuery<MonitorPage>('v1/session-monitors?limit=200', { everyMs: 10_000 });
  return (
    <Panel title="Monitors" note="runs on a cadence, in UTC">
      <ListTable
        list={{ items: data.value?.items, error: error.value, more: undefined }}
        columns={['Monitor', 'Cadence', 'Covers', 'State', 'Next', 'Last', { unnamed: 'Actions' }]}
        empty="None yet. A monitor scores the sessions of an agent every day, and notices when they change."
        row={(monitor) => <MonitorRow key={monitor.monitor_id} monitor={monitor} />}
      />
    </Panel>
  );
}

function MonitorRow({ monitor }: { monitor: Monitor }) {
  const [error, setError] = useState<ApiError | null>(null);
  const { monitor_id, name, cadence, state, plan, next_tick, last_tick, last_run_id } = monitor;
  const path = `v1/session-monitors/${encodeURIComponent(monitor_id)}`;
  async function act(method: 'POST' | 'DELETE', what = '') {
    setError(null);
    try {
      await ask(`${path}${what}`, { method });
      await refresh('v1/session-');
    } catch (thrown) {
      setError(thrown as ApiError);
    }
  }
  return (
    <tr>
      <td>
        <b>{name}</b>
        {error && <Problem error={error} />}
      </td>
      <td>
        <code>{cadence}</code>
      </td>
      <td class="note">{describePlan(plan)}</td>
      <td>
        <Chip tone={state === 'active' ? 'good' : 'warn'}>{state}</Chip>
      </td>
      <td>{next_tick ? <Ago at={next_tick} /> : '–'}</td>
      <td>
        {last_run_id ? (
          <a href={`runs/${encodeURIComponent(last_run_id)}`}>{last_tick ? <Ago at={last_tick} /> : 'run'}</a>
        ) : (
          '–'
        )}
      </td>
      <td class="number">
        {canAdminister.value && (
          <div class="actions end">
            <button type="button" onClick={() => void act('POST', state === 'active' ? '/pause' : '/resume')}>
              {state === 'active' ? 'Pause' : 'Resume'}
            </button>
            <button type="button" onClick={() => void act('POST', '/trigger')}>
              Run now
            </button>
            <button
              type="button"
              class="danger"
              aria-label={`Delete ${name}`}
              onClick={() => confirm(`Delete the monitor “${name}”? Its runs stay.`) && void act('DELETE')}
            >
              Delete
            </button>
          </div>
        )}
      </td>
    </tr>
  );
}

function RunList() {
  const pager = usePages<Run>('v1/session-runs', { limit: 30 }, { everyMs: 3_000 });
  return (
    <Panel title="Runs" note="newest first">
      <ListTable
        list={pager}
        columns={['Begun', 'State', 'Covers', 'By', { number: 'Sessions' }, { number: 'Failed' }]}
        empty="None yet. A run scores sessions whose turns have signals, by reliability and consistency."
        row={(run) => (
          <tr key={run.run_id}>
            <td>
              <a href={`runs/${encodeURIComponent(run.run_id)}`}>
                <Ago at={run.created_at} />
              </a>
            </td>
            <td>
              <RunState run={run} />
            </td>
            <td class="note">{describePlan(run.plan)}</td>
            <td>{run.monitor_id ? 'monitor' : 'request'}</td>
            <td class="number">
              {run.progress.evaluated + run.progress.unchanged} of {run.progress.selected ?? '…'}
            </td>
            <td class={`number ${run.progress.failed > 0 ? 'bad' : ''}`}>{run.progress.failed}</td>
          </tr>
        )}
      />
    </Panel>
  );
}
