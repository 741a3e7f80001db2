import { withQuery } from '../../api.ts';
import { percent, score4 } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import { SessionTable } from '../../ui/session-table.tsx';
import type { Card, SessionPage } from '../../wire.ts';

export function SessionsPanel({ id, scores }: { id: string; scores: Card['scores'] }) {
  const { data, error } = useQuery<SessionPage>(withQuery('v1/sessions', { agent_id: id, limit: 6 }));
  const { agent_reliability: reliability } = scores;
  return (
    <Panel
      title="Sessions"
      note="worst first"
      class="full"
      action={<a href={withQuery('sessions', { agent_id: id })}>All sessions</a>}
    >
      <Problem error={error.value} />
      {!data.value && !error.value && <Skeleton rows={4} />}
      {data.value?.items.length === 0 && <p class="note">No session of this agent has been scored.</p>}
      {data.value && data.value.items.length > 0 && (
        <>
          {reliability?.mean != null && (
            <p class="note">
              {reliability.sessions} scored: reliability {score4(reliability.mean)} on average,{' '}
              {percent(reliability.pass_rate ?? 0)} above the threshold.
            </p>
          )}
          <SessionTable sessions={data.value.items} />
        </>
      )}
    </Panel>
  );
}
