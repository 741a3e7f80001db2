import { fullTime, percent } from '../../format.ts';
import { Why } from '../../ui/parts.tsx';
import type { Changes } from '../../wire.ts';

/** That an agent got worse, since when, and how sure that is. */
export function ChangeNotice({ changes }: { changes: Changes | undefined }) {
  if (!changes?.change) return null;
  const { detected_at, since, evaluations_since, rate_since, e_value } = changes.change;
  const likelier = e_value >= 1e6 ? e_value.toExponential(1) : Math.round(e_value).toLocaleString('en-US');
  return (
    <p class="notice bad" role="status">
      <b>Got worse</b> since {fullTime(since)}: {percent(rate_since)} of {evaluations_since} evaluations
      passed, where {percent(changes.baseline_pass_rate ?? 0)} was usual. Noticed {fullTime(detected_at)}.{' '}
      <Why about="How sure that is">
        <p>
          A detector beside each window weighs every verdict against the rate that the agent is held to. By
          now the verdicts are {likelier} times likelier under a change for the worse than without one; the
          alarm is at 20,000, where an agent that has not changed gives one false alarm in a very long time.
        </p>
      </Why>
    </p>
  );
}
