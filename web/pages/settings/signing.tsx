import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api.ts';
import { refresh, useQuery } from '../../query.ts';
import { Code, Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import { Ago } from '../../ui/time.tsx';
import type { NewSecret, SecretList, Settings } from '../../wire.ts';

const PATH = 'v1/signing-secrets';

export function SigningPanel() {
  const secrets = useQuery<SecretList>(PATH);
  const settings = useQuery<Settings>('v1/settings');
  const [made, setMade] = useState<NewSecret | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  async function attempt(work: () => Promise<unknown>) {
    try {
      await work();
      setFailure(null);
      await Promise.all([refresh(PATH), refresh('v1/settings')]);
    } catch (thrown) {
      setFailure(thrown as ApiError);
    }
  }
  return (
    <Panel
      title="Signing"
      note="of batches, by HMAC"
      action={
        <button
          type="button"
          onClick={() => void attempt(async () => setMade(await ask<NewSecret>(PATH, { method: 'POST' })))}
        >
          New secret
        </button>
      }
    >
      <Problem error={secrets.error.value ?? settings.error.value ?? failure} />
      {made && (
        <div class="shown-once" role="status">
          <p>
            <b>Your new signing secret.</b> It is shown this once; the one before it stays good until the next
            is made.
          </p>
          <Code text={made.secret} />
        </div>
      )}
      {!secrets.data.value && <Skeleton rows={2} />}
      {secrets.data.value?.items.length === 0 && <p class="note">No secret: batches cannot be signed yet.</p>}
      <ul class="rows">
        {secrets.data.value?.items.map(({ secret_id, hint, created_at }) => (
          <li key={secret_id}>
            <code>ss_live_…{hint}</code>
            <span class="note">
              made <Ago at={created_at} />
            </span>
            <button
              type="button"
              class="danger"
              onClick={() =>
                void attempt(() => ask(`${PATH}/${encodeURIComponent(secret_id)}`, { method: 'DELETE' }))
              }
            >
              Delete
            </button>
          </li>
        ))}
      </ul>
      {settings.data.value && (
        <label class="switch">
          <input
            type="checkbox"
            checked={settings.data.value.require_signatures}
            onChange={(event) => {
              const body = { require_signatures: event.currentTarget.checked };
              void attempt(() => ask('v1/settings', { method: 'PATCH', body }));
            }}
          />
          Refuse batches that are not signed
        </label>
      )}
    </Panel>
  );
}
