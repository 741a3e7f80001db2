/** Sessions with both metrics, their quadrant and how much of them was seen. */
import { percent, score4 } from '../format.ts';
import { agentPath, sessionPath } from '../router.ts';
import type { SessionPage } from '../wire.ts';
import { WideTable } from './list-table.tsx';
import { Chip } from './parts.tsx';
import { Ago } from './time.tsx';

type Session = SessionPage['items'][number];
type Brief = Session['agent_reliability'];

const TONES = {
  'safe and smooth': 'good',
  'safe but uneven': 'accent',
  'predictable but not good': 'warn',
  'unreliable and unstable': 'bad',
} as const;

export function Quadrant({ quadrant }: { quadrant: Session['quadrant'] }) {
  return quadrant === null ? (
    <Chip title="There is no evidence for both metrics">no evidence</Chip>
  ) : (
    <Chip tone={TONES[quadrant]}>{quadrant}</Chip>
  );
}

/** A score of which nothing was seen is no score: it says so instead of a perfect number. */
function MetricScore({ brief }: { brief: Brief }) {
  if (brief === null) return <span class="note">not scored</span>;
  if (brief.evidence === 'none') return <span class="note">nothing seen</span>;
  return (
    <span class={brief.passed ? 'good' : 'bad'} title={`${brief.band ?? ''}; threshold ${brief.threshold}`}>
      {score4(brief.score)}
    </span>
  );
}

const RECOMMENDATIONS = { keep: 'good', review: 'warn', doff: 'bad' } as const;

function Composite({ performance }: { performance: Session['performance'] }) {
  if (performance === null) return <span class="note">not told</span>;
  const { composite, recommendation } = performance;
  return (
    <>
      {composite.toFixed(1)} <Chip tone={RECOMMENDATIONS[recommendation]}>{recommendation}</Chip>
    </>
  );
}

export function SessionTable({ sessions, withAgent }: { sessions: readonly Session[]; withAgent?: boolean }) {
  return (
    <WideTable
      columns={[
        'Session',
        ...(withAgent ? ['Agent'] : []),
        { number: 'Performance' },
        { number: 'Reliability' },
        { number: 'Consistency' },
        'Both',
        { number: 'Flagged' },
        { number: 'Coverage' },
        { number: 'Last turn' },
      ]}
    >
      {sessions.map((session) => (
        <tr key={session.session_id}>
          <td>
            <a href={sessionPath(session.session_id)}>{session.session_id}</a>
          </td>
          {withAgent && (
            <td>{session.agent_id ? <a href={agentPath(session.agent_id)}>{session.agent_id}</a> : '–'}</td>
          )}
          <td class="number">
            <Composite performance={session.performance} />
          </td>
          <td class="number">
            <MetricScore brief={session.agent_reliability} />
          </td>
          <td class="number">
            <MetricScore brief={session.agent_consistency} />
          </td>
          <td>
            <Quadrant quadrant={session.quadrant} />
          </td>
          <td class="number">
            {session.agent_reliability?.flagged_traces ?? '–'} of {session.traces}
          </td>
          <td class="number">
            {session.agent_reliability ? percent(session.agent_reliability.coverage, 0) : '–'}
          </td>
          <td class="number">
            <Ago at={session.last_at} />
          </td>
        </tr>
      ))}
    </WideTable>
  );
}
