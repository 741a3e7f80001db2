/** Evaluations as rows: the verdict, each gate as a chip with its reason, and how to take one out of the score. */
import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../api.ts';
import { milliseconds } from '../format.ts';
import { refresh } from '../query.ts';
import { agentPath, sessionPath } from '../router.ts';
import { canAdminister } from '../session.ts';
import type { Evaluation } from '../wire.ts';
import { Chip, Dialog, Problem } from './parts.tsx';
import { Ago } from './time.tsx';

const TONES = {
  passed: 'good',
  failed: 'bad',
  timeout: 'warn',
  error: 'warn',
  skipped: 'plain',
  aborted: 'plain',
} as const;

type Gate = Evaluation['gates'][number];

export function EvaluationRow({ evaluation, withAgent }: { evaluation: Evaluation; withAgent?: boolean }) {
  const { passed, counts, voided } = evaluation;
  const failures = evaluation.gates.filter(({ reason }) => reason !== undefined);
  return (
    <li class={`evaluation ${voided ? 'voided' : ''}`}>
      <span class={`verdict ${passed ? 'good' : 'bad'}`}>{passed ? 'passed' : 'failed'}</span>
      <div class="what">
        <div class="line">
          {withAgent && <a href={agentPath(evaluation.agent_id)}>{evaluation.agent_id}</a>}
          {evaluation.tool && <code>{evaluation.tool}</code>}
          <Gates gates={evaluation.gates} />
          {!counts && <Chip title="Stored, and no part of the score">does not count</Chip>}
          {voided && <Chip tone="warn">voided</Chip>}
        </div>
        {failures.map(({ name, reason }) => (
          <p key={name} class="reason">
            <b>{name}</b> {reason}
          </p>
        ))}
        {voided && <p class="reason">Voided: {voided.reason}</p>}
        <Origin evaluation={evaluation} />
      </div>
      <div class="when">
        <Ago at={evaluation.received_at} />
        {canAdminister.value && counts && !voided && <VoidButton evaluation={evaluation} />}
      </div>
    </li>
  );
}

/** Those that said something come alone; the ones that passed are a number, and a list on hover. */
function Gates({ gates }: { gates: readonly Gate[] }) {
  const quiet = gates.filter(
    ({ outcome }) => outcome === 'passed' || outcome === 'skipped' || outcome === 'aborted',
  );
  return (
    <>
      {gates
        .filter((gate) => !quiet.includes(gate))
        .map(({ name, outcome, latency_ms }) => (
          <Chip key={name} tone={TONES[outcome]} title={`${outcome} in ${milliseconds(latency_ms)}`}>
            {name}
          </Chip>
        ))}
      {quiet.length > 0 && (
        <span class="note" title={quiet.map(({ name, outcome }) => `${name}: ${outcome}`).join('\n')}>
          {quiet.filter(({ outcome }) => outcome === 'passed').length} of {gates.length} gates passed
        </span>
      )}
    </>
  );
}

function Origin({ evaluation: one }: { evaluation: Evaluation }) {
  return (
    <div class="origin">
      <span>gates {milliseconds(one.total_latency_ms)}</span>
      {one.latency_ms !== null && <span>agent {milliseconds(one.latency_ms)}</span>}
      <span>{one.known_as}</span>
      <span>{one.source}</span>
      {one.model && <span>{one.model}</span>}
      {one.version && <span>version {one.version}</span>}
      {one.session_id && <a href={sessionPath(one.session_id)}>{one.session_id}</a>}
    </div>
  );
}

function VoidButton({ evaluation }: { evaluation: Evaluation }) {
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const [error, setError] = useState<ApiError | null>(null);
  async function submit(event: Event) {
    event.preventDefault();
    try {
      const path = `v1/events/${encodeURIComponent(evaluation.evaluation_id)}/void`;
      await ask(path, { method: 'POST', body: { reason } });
      setOpen(false);
      await refresh('v1/');
    } catch (thrown) {
      setError(thrown as ApiError);
    }
  }
  return (
    <>
      <button type="button" class="link" onClick={() => setOpen(true)}>
        Void
      </button>
      {open && (
        <Dialog title="Take this evaluation out of the score" onClose={() => setOpen(false)}>
          <form class="fields" onSubmit={submit}>
            <p class="note">
              It stays visible with your reason, and the score is made again without it. This cannot be
              undone, and stands in the audit log.
            </p>
            <label>
              Reason
              <input
                value={reason}
                maxLength={300}
                required
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </label>
            <Problem error={error} />
            <div class="actions">
              <button type="submit" class="primary">
                Void it
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
