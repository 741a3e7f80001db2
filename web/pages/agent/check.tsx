/** Is it good enough? Three answers, read against the band. */
import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api.ts';
import { count } from '../../format.ts';
import { Chip, Panel, Problem } from '../../ui/parts.tsx';
import type { Check, Reputation } from '../../wire.ts';

const TONES = { pass: 'good', fail: 'bad', not_enough_evidence: 'warn' } as const;
const TEXTS = { pass: 'pass', fail: 'fail', not_enough_evidence: 'not enough evidence' } as const;

export function CheckPanel({ id, reputation }: { id: string; reputation: Reputation }) {
  const [min, setMin] = useState(700);
  const [check, setCheck] = useState<Check | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  async function submit(event: Event) {
    event.preventDefault();
    setError(null);
    try {
      setCheck(await ask<Check>('v1/check', { method: 'POST', body: { agent_id: id, min } }));
    } catch (thrown) {
      setError(thrown as ApiError);
    }
  }
  return (
    <Panel title="Check" note="against a minimum">
      <form class="row" onSubmit={submit}>
        <label>
          At least{' '}
          <input
            type="number"
            min={0}
            max={1000}
            value={min}
            onInput={(event) => {
              setMin(Number(event.currentTarget.value));
              setCheck(null);
            }}
          />
        </label>
        <button type="submit">Check</button>
        {check && <Chip tone={TONES[check.verdict]}>{TEXTS[check.verdict]}</Chip>}
      </form>
      <Problem error={error} />
      <p class="note check-reason" aria-live="polite">
        {check
          ? `${check.reason}${check.further_evaluations ? ` About ${count(check.further_evaluations)} more evaluations would tell.` : ''}`
          : `Passes when the lower edge of the band, ${reputation.assurance.score_low}, is at least that; fails when the upper one, ${reputation.assurance.score_high}, is below it.`}
      </p>
    </Panel>
  );
}
