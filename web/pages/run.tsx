import { useEffect, useState } from 'preact/hooks';
import { type ApiError, ask } from '../api.ts';
import { count, score4 } from '../format.ts';
import { refresh, useQuery } from '../query.ts';
import { agentPath, sessionPath } from '../router.ts';
import { ListTable } from '../ui/list-table.tsx';
import { usePages } from '../ui/pager.tsx';
import { Chip, PageHead, Panel, Problem, Skeleton } from '../ui/parts.tsx';
import { Moment } from '../ui/time.tsx';
import type { Run as RunData, ScorePage } from '../wire.ts';
import { describePlan } from './runs/plan.ts';
import { RunState } from './runs/run-state.tsx';

export function Run({ id }: { id: string }) {
  const path = `v1/session-runs/${encodeURIComponent(id)}`;
  const { data, error } = useQuery<RunData>(path, { everyMs: 1_500 });
  const run = data.value;
  const [failure, setFailure] = useState<ApiError | null>(null);
  const act = (what: string) =>
    ask(`${path}/${what}`, { method: 'POST' })
      .then(() => refresh('v1/session-runs'))
      .catch(setFailure);
  const isOver = run && !['pending', 'running'].includes(run.state);
  return (
    <>
      <PageHead title="Run" above={<a href="runs">Runs and monitors</a>}>
        {run && <RunState run={run} />}
        {run && !isOver && (
          <button type="button" onClick={() => void act('cancel')}>
            Cancel
          </button>
        )}
        {run && isOver && run.progress.failed > 0 && (
          <button type="button" onClick={() => void act('retry')}>
            Retry what failed
          </button>
        )}
      </PageHead>
      <Problem error={error.value ?? failure} />
      {!run && !error.value && <Skeleton rows={3} height={60} />}
      {run && (
        <div class="stack">
          <dl class="figures">
            <Figure name="Sessions" value={run.progress.selected} />
            <Figure name="Scored" value={run.progress.evaluated} />
            <Figure name="Unchanged" value={run.progress.unchanged} />
            <Figure name="Failed" value={run.progress.failed} />
            <Figure name="Turns" value={run.progress.traces} />
          </dl>
          <Panel title="Plan">
            <dl class="pairs">
              <dt>Covers</dt>
              <dd>{describePlan(run.plan)}</dd>
              <dt>Thresholds</dt>
              <dd>{listOf(run.plan.thresholds)}</dd>
              <dt>Weights</dt>
              <dd>{listOf(run.plan.signal_weights)}</dd>
              <dt>Asked for</dt>
              <dd>
                <Moment at={run.created_at} />
              </dd>
              {run.finished_at && (
                <>
                  <dt>Finished</dt>
                  <dd>
                    <Moment at={run.finished_at} />
                  </dd>
                </>
              )}
            </dl>
            {run.error && <p class="bad">{run.error}</p>}
            {run.failures.map(({ session_id, code }) => (
              <p key={session_id} class="bad">
                {session_id}: {code}
              </p>
            ))}
          </Panel>
          <Scores path={path} version={run.progress.evaluated} />
        </div>
      )}
    </>
  );
}

function Figure({ name, value }: { name: string; value: number | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value === null ? '…' : count(value)}</dd>
    </div>
  );
}

function listOf(values: Record<string, number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
    .join(' · ');
}

/** Read again whenever the run got further. */
function Scores({ path, version }: { path: string; version: number }) {
  useEffect(() => void refresh(`${path}/scores`), [path, version]);
  const pager = usePages<ScorePage['items'][number]>(`${path}/scores`, { limit: 50 });
  return (
    <Panel title="Scores" note="worst first">
      <ListTable
        list={pager}
        columns={['Session', 'Agent', 'Metric', { number: 'Score' }, 'Band', { number: 'Flagged' }]}
        empty="None yet."
        row={(one) => (
          <tr key={`${one.session_id}${one.metric}`}>
            <td>
              <a href={sessionPath(one.session_id)}>{one.session_id}</a>
            </td>
            <td>{one.agent_id ? <a href={agentPath(one.agent_id)}>{one.agent_id}</a> : '–'}</td>
            <td>{one.metric === 'agent_reliability' ? 'reliability' : 'consistency'}</td>
            <td class={`number ${one.passed === false ? 'bad' : one.passed ? 'good' : ''}`}>
              {one.evidence === 'none' ? '–' : score4(one.score)}
            </td>
            <td>
              <Chip tone={one.passed === null ? 'warn' : one.passed ? 'good' : 'bad'}>
                {one.evidence === 'none' ? 'nothing seen' : one.band}
              </Chip>
            </td>
            <td class="number">
              {one.flagged_traces} of {one.total_traces}
            </td>
          </tr>
        )}
      />
    </Panel>
  );
}
