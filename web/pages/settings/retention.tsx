import { count } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import type { Retention } from '../../wire.ts';

const KEPT = [
  ['keep_evaluations_days', 'Evaluations', 'the last 500 of each agent always stay'],
  ['keep_reputation_events_days', 'Events of identities', ''],
  ['keep_audit_days', 'Audit log', ''],
  ['keep_session_events_days', 'Telemetry of sessions', 'verdicts stay'],
  ['keep_signals_days', 'Signals of sessions', 'scores stay'],
  ['keep_session_scores_days', 'Scores of sessions', ''],
] as const;

export function RetentionPanel() {
  const { data, error } = useQuery<Retention>('v1/retention');
  return (
    <Panel title="Retention" note="by the configuration of the server">
      <Problem error={error.value} />
      {!data.value && !error.value && <Skeleton rows={3} />}
      {data.value && (
        <dl class="pairs">
          {KEPT.map(([key, name, note]) => {
            const days = data.value?.[key] ?? 0;
            return [
              <dt key={`${key}-name`}>{name}</dt>,
              <dd key={key}>
                {days === 0 ? 'for ever' : `${count(days)} days`} {note && <span class="note">{note}</span>}
              </dd>,
            ];
          })}
        </dl>
      )}
    </Panel>
  );
}
