/** What a run or a monitor is to cover. Before it starts, it says how many sessions that would be. */
import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api.ts';
import { count } from '../../format.ts';
import { refresh } from '../../query.ts';
import { go } from '../../router.ts';
import { Dialog, Problem } from '../../ui/parts.tsx';
import type { DryRun, Run } from '../../wire.ts';

interface Fields {
  name: string;
  cadence: string;
  sessions: string;
  agent: string;
  hours: string;
  threshold: string;
  changed: boolean;
}

const CADENCES = ['every_6h', 'daily', 'weekly'] as const;

export function PlanDialog({
  kind,
  session,
  onClose,
}: {
  kind: 'run' | 'monitor';
  session: string;
  onClose(): void;
}) {
  const [fields, setFields] = useState<Fields>({
    name: '',
    cadence: 'daily',
    sessions: session,
    agent: '',
    hours: '',
    threshold: '0.5',
    changed: kind === 'monitor',
  });
  const [preview, setPreview] = useState<DryRun | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const isMonitor = kind === 'monitor';
  const set = (change: Partial<Fields>) => {
    setFields((was) => ({ ...was, ...change }));
    setPreview(null);
  };

  async function attempt(work: () => Promise<void>) {
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(thrown as ApiError);
    }
  }
  const look = () =>
    attempt(async () => {
      const body = { ...toPlan(fields), dry_run: true };
      setPreview(await ask<DryRun>('v1/session-runs', { method: 'POST', body }));
    });
  const start = (event: Event) => {
    event.preventDefault();
    return attempt(async () => {
      if (isMonitor) {
        const body = { name: fields.name, cadence: fields.cadence, ...toPlan(fields) };
        await ask('v1/session-monitors', { method: 'POST', body });
        await refresh('v1/session-');
        onClose();
      } else {
        const run = await ask<Run>('v1/session-runs', { method: 'POST', body: toPlan(fields) });
        onClose();
        go(`runs/${encodeURIComponent(run.run_id)}`);
      }
    });
  };

  return (
    <Dialog title={isMonitor ? 'New monitor' : 'New run'} onClose={onClose}>
      <form class="fields" onSubmit={start}>
        {isMonitor && (
          <>
            <label>
              Name
              <input
                required
                maxLength={200}
                value={fields.name}
                onInput={(e) => set({ name: e.currentTarget.value })}
              />
            </label>
            <label>
              Cadence, in UTC
              <input
                required
                list="cadences"
                value={fields.cadence}
                onInput={(e) => set({ cadence: e.currentTarget.value })}
              />
              <datalist id="cadences">
                {CADENCES.map((value) => (
                  <option key={value} value={value} />
                ))}
              </datalist>
              <small>every_6h, daily, weekly, or cron: and five fields as in cron:30 4 * * 1-5</small>
            </label>
          </>
        )}
        {!isMonitor && (
          <label>
            Sessions
            <input
              value={fields.sessions}
              placeholder="ids with commas between them; empty for those below"
              onInput={(e) => set({ sessions: e.currentTarget.value })}
            />
          </label>
        )}
        {fields.sessions.trim() === '' && (
          <>
            <label>
              Agent
              <input
                value={fields.agent}
                placeholder="all"
                onInput={(e) => set({ agent: e.currentTarget.value })}
              />
            </label>
            <label>
              Of the last hours
              <input
                type="number"
                min="1"
                value={fields.hours}
                placeholder="no limit"
                onInput={(e) => set({ hours: e.currentTarget.value })}
              />
            </label>
          </>
        )}
        <label>
          Threshold of both metrics
          <input
            type="number"
            min="0"
            max="1"
            step="0.05"
            value={fields.threshold}
            onInput={(e) => set({ threshold: e.currentTarget.value })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={fields.changed}
            onChange={(e) => set({ changed: e.currentTarget.checked })}
          />
          Leave sessions alone that have not changed
        </label>
        <Problem error={error} />
        <p class="note" aria-live="polite">
          {preview &&
            `It would cover ${count(preview.sessions)} sessions with ${count(preview.traces)} turns.`}
        </p>
        <div class="actions">
          <button type="submit" class="primary">
            {isMonitor ? 'Create' : 'Start'}
          </button>
          <button type="button" onClick={() => void look()}>
            What would it cover?
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function toPlan({ sessions, agent, hours, threshold, changed }: Fields) {
  const ids = sessions
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);
  const value = Number(threshold);
  return {
    ...(ids.length > 0
      ? { session_ids: ids }
      : { filter: { ...(agent && { agent_id: agent }), ...(hours && { within_hours: Number(hours) }) } }),
    thresholds: { agent_reliability: value, agent_consistency: value },
    only_if_changed: changed,
  };
}
