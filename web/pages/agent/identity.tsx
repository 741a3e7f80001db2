/** Ninety days of events about the identity: three categories, how much they are worth, and where it is going. */
import { count, percent, signed } from '../../format.ts';
import { Panel, Why } from '../../ui/parts.tsx';
import type { Card } from '../../wire.ts';

const CATEGORIES = [
  ['task_quality_score', 'Task quality', 0.4],
  ['economic_score', 'Economic', 0.35],
  ['identity_hygiene_score', 'Identity hygiene', 0.25],
] as const;

export function IdentityPanel({ identity }: { identity: Card['scores']['identity'] }) {
  if (!identity) {
    return (
      <Panel title="Identity" note="90 days of events">
        <p class="note">No events of this identity yet.</p>
      </Panel>
    );
  }
  const { overall_score, total_events, positive_events, negative_events, confidence } = identity;
  return (
    <Panel title="Identity" note="90 days of events">
      <p class="identity-line">
        <b class="medium-number">{signed(overall_score, 3)}</b>
        <Trend now={overall_score} then={identity.score_7d_ago} name="7 days" />
        <Trend now={overall_score} then={identity.score_30d_ago} name="30 days" />
        <Why about={`Why ${signed(overall_score, 3)}`}>
          <p>Of each category the plain mean of what its events gave, weighted and added up:</p>
          <p class="formula">
            {CATEGORIES.map(([key, , weight]) => `${weight} · ${identity[key].toFixed(4)}`).join('\n+ ')}
            {`\n= ${overall_score.toFixed(4)}`}
          </p>
          <p>
            The confidence is the number of events over a hundred, at most 1. The trends are the same as it
            stood 7 and 30 days ago, each over its own 90 days.
          </p>
        </Why>
      </p>
      <ul class="categories">
        {CATEGORIES.map(([key, name]) => (
          <li key={key}>
            <span>{name}</span>
            <Diverging value={identity[key]} />
            <b class="number">{signed(identity[key], 3)}</b>
          </li>
        ))}
      </ul>
      <p class="note">
        {count(total_events)} events, {positive_events} for and {negative_events} against; confidence{' '}
        {percent(confidence, 0)}.
      </p>
    </Panel>
  );
}

function Trend({ now, then, name }: { now: number; then: number; name: string }) {
  const change = now - then;
  return (
    <span class="note" title={`${signed(then, 3)} then`}>
      <span class={change > 0.0005 ? 'good' : change < -0.0005 ? 'bad' : ''}>{signed(change, 3)}</span> in{' '}
      {name}
    </span>
  );
}

/** To the right of the middle for, to the left against. */
function Diverging({ value }: { value: number }) {
  const share = Math.min(1, Math.abs(value)) * 50;
  const style = value >= 0 ? { left: '50%', width: `${share}%` } : { right: '50%', width: `${share}%` };
  return (
    <span class="diverging" aria-hidden="true">
      <i class={value >= 0 ? 'for' : 'against'} style={style} />
    </span>
  );
}
