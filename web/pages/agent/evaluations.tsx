import { useState } from 'preact/hooks';
import { withQuery } from '../../api.ts';
import { useQuery } from '../../query.ts';
import { EvaluationRow } from '../../ui/evaluations.tsx';
import { Choice, Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import type { EvaluationPage } from '../../wire.ts';

const VERDICTS = [
  { value: '', text: 'All' },
  { value: 'failed', text: 'Failed' },
  { value: 'passed', text: 'Passed' },
] as const;

export function EvaluationsPanel({ id }: { id: string }) {
  const [verdict, setVerdict] = useState<(typeof VERDICTS)[number]['value']>('');
  const { data, error } = useQuery<EvaluationPage>(
    withQuery('v1/events', { agent_id: id, verdict, limit: 12 }),
  );
  return (
    <Panel
      title="Recent evaluations"
      class="full"
      action={
        <>
          <Choice label="Verdict" value={verdict} options={VERDICTS} onChange={setVerdict} />
          <a href={withQuery('events', { agent_id: id })}>All events</a>
        </>
      }
    >
      <Problem error={error.value} />
      {!data.value && !error.value && <Skeleton rows={6} height={44} />}
      <ul class="evaluations">
        {data.value?.items.map((one) => (
          <EvaluationRow key={one.evaluation_id} evaluation={one} />
        ))}
      </ul>
      {data.value?.items.length === 0 && <p class="note">None.</p>}
    </Panel>
  );
}
