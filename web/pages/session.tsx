import { Fragment } from 'preact';
import { withQuery } from '../api.ts';
import { RiskChart } from '../charts/risk.tsx';
import { percent, score4 } from '../format.ts';
import { useQuery } from '../query.ts';
import { agentPath } from '../router.ts';
import { EvaluationRow } from '../ui/evaluations.tsx';
import { Chip, PageHead, Panel, Problem, Skeleton, Why } from '../ui/parts.tsx';
import { Quadrant } from '../ui/session-table.tsx';
import { Ago } from '../ui/time.tsx';
import type { EvaluationPage, SessionScores, SessionTraces, SessionVerdicts } from '../wire.ts';
import { MetricWhy, type Score } from './session/metric-why.tsx';
import { Performance, Work } from './session/performance.tsx';
import { TracesPanel } from './session/traces.tsx';

const NAMES = { agent_reliability: 'Reliability', agent_consistency: 'Consistency' } as const;
const ASKS = {
  agent_reliability: 'how bad the worst turns were',
  agent_consistency: 'how steady it was as a whole',
} as const;

export function Session({ id }: { id: string }) {
  const encoded = encodeURIComponent(id);
  const scores = useQuery<SessionScores>(`v1/sessions/${encoded}/scores`);
  const told = useQuery<SessionVerdicts>(`v1/sessions/${encoded}`);
  const known = (scores.data.value?.scores.length ?? 0) > 0;
  // A session that nobody has scored may have no traces either, which the API refuses as unknown.
  const traces = useQuery<SessionTraces>(known ? `v1/sessions/${encoded}/traces` : null);
  const events = useQuery<EvaluationPage>(withQuery('v1/events', { session_id: id, limit: 25 }));
  const { quadrant } = scores.data.value ?? {};
  const agent_id = told.data.value?.agent_id ?? scores.data.value?.agent_id;
  const reliability = scores.data.value?.scores.find(({ metric }) => metric === 'agent_reliability');
  return (
    <>
      <PageHead title={id} above={<a href="sessions">Sessions</a>}>
        {quadrant !== undefined && known && <Quadrant quadrant={quadrant} />}
        {agent_id && <a href={agentPath(agent_id)}>{agent_id}</a>}
        {traces.data.value && (
          <span class="note">
            last turn <Ago at={traces.data.value.last_at} />
          </span>
        )}
        {traces.data.value?.tags.map((tag) => (
          <Chip key={tag}>{tag}</Chip>
        ))}
      </PageHead>
      <Problem error={scores.error.value} />
      {!scores.data.value && !scores.error.value && <Skeleton rows={2} height={140} />}
      {scores.data.value && !known && told.data.value?.verdicts.length === 0 && (
        <Panel title="Scores">
          <p class="note">
            Nobody has scored this session. Start a <a href={withQuery('runs', { session: id })}>run</a> over
            it.
          </p>
        </Panel>
      )}
      <div class="session-grid">
        {told.data.value?.verdicts.map((verdict) => (
          <Fragment key={verdict.masque}>
            <Performance verdict={verdict} />
            <Work verdict={verdict} id={id} />
          </Fragment>
        ))}
        {scores.data.value?.scores.map((score) => (
          <MetricPanel key={score.metric} score={score} />
        ))}
        {reliability?.metadata && (
          <Panel title="Risk by turn" note="what lies above the line is flagged" class="full">
            <RiskChart metadata={reliability.metadata} order={traces.data.value?.traces ?? []} />
          </Panel>
        )}
        {traces.data.value && <TracesPanel traces={traces.data.value.traces} />}
        <Panel title="Evaluations" note="of outputs in this session" class="full">
          <Problem error={events.error.value} />
          {!events.data.value && !events.error.value && <Skeleton rows={3} height={44} />}
          <ul class="evaluations">
            {events.data.value?.items.map((one) => (
              <EvaluationRow key={one.evaluation_id} evaluation={one} />
            ))}
          </ul>
          {events.data.value?.items.length === 0 && <p class="note">None.</p>}
        </Panel>
      </div>
    </>
  );
}

function MetricPanel({ score }: { score: Score }) {
  const none = score.evidence === 'none';
  const seen = Object.entries(score.signal_counts);
  return (
    <Panel title={NAMES[score.metric]} note={ASKS[score.metric]}>
      <div class="headline">
        <p class={`big ${none ? 'calibrating' : ''}`}>{none ? '–' : score4(score.score)}</p>
        <p>
          {none ? (
            <Chip tone="warn">nothing was seen</Chip>
          ) : (
            <>
              <Chip tone={score.passed ? 'good' : 'bad'}>{score.band}</Chip>{' '}
              <span class="note">
                threshold {score.threshold} <MetricWhy score={score} />
              </span>
            </>
          )}
        </p>
      </div>
      <p>{score.reason}</p>
      <dl class="pairs coverage">
        <dt>Seen</dt>
        <dd>
          {score.traces_evaluated} of {score.total_traces} turns, {percent(score.coverage, 0)}{' '}
          <Chip tone={score.evidence === 'full' ? 'good' : 'warn'}>{score.evidence} evidence</Chip>{' '}
          <Why about="What was seen">
            <p>
              A signal that nobody measured is left out: it is neither good nor bad. A session of which
              nothing was seen has the score 1 by its formula, and never counts as passed.
            </p>
          </Why>
        </dd>
        <dt>Signals</dt>
        <dd>{seen.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(' · ')}</dd>
        <dt>Computed</dt>
        <dd>
          <Ago at={score.computed_at} />, <a href={`runs/${encodeURIComponent(score.run_id)}`}>by a run</a>
        </dd>
      </dl>
    </Panel>
  );
}
