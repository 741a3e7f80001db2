import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api.ts';
import { refresh, useQuery } from '../../query.ts';
import { ListTable } from '../../ui/list-table.tsx';
import { Chip, Code, Panel, Problem } from '../../ui/parts.tsx';
import { Ago } from '../../ui/time.tsx';
import type { KeyList, NewKey } from '../../wire.ts';

const PATH = 'v1/keys';
const MAY = { pk: 'writes evaluations, reads scores', sk: 'also administers' } as const;

export function KeysPanel() {
  const { data, error } = useQuery<KeyList>(PATH);
  const [made, setMade] = useState<NewKey | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  async function attempt(work: () => Promise<unknown>) {
    try {
      await work();
      setFailure(null);
      // The audit log below says it too.
      await refresh('v1/');
    } catch (thrown) {
      setFailure(thrown as ApiError);
    }
  }
  const make = (kind: 'pk' | 'sk') =>
    attempt(async () => setMade(await ask<NewKey>(PATH, { method: 'POST', body: { kind } })));
  return (
    <Panel
      title="Keys"
      note="shown once, when they are made; stored as a hash"
      action={
        <>
          <button type="button" onClick={() => void make('pk')}>
            New pk key
          </button>
          <button type="button" onClick={() => void make('sk')}>
            New sk key
          </button>
        </>
      }
    >
      <Problem error={failure} />
      {made && (
        <div class="shown-once" role="status">
          <p>
            <b>Your new {made.kind} key.</b> It is shown this once: take it now.
          </p>
          <Code text={made.key} />
        </div>
      )}
      <ListTable
        list={{ items: data.value?.items, error: error.value, more: undefined }}
        columns={['Key', 'May', 'Made', 'Last used', { unnamed: 'Actions' }]}
        empty="None."
        row={({ key_id, kind, hint, created_at, last_used_at, revoked_at }) => (
          <tr key={key_id} class={revoked_at ? 'dim' : ''}>
            <td>
              <code>
                {kind}_live_…{hint}
              </code>
            </td>
            <td>{MAY[kind]}</td>
            <td>
              <Ago at={created_at} />
            </td>
            <td>{last_used_at ? <Ago at={last_used_at} /> : 'never'}</td>
            <td class="number">
              {revoked_at ? (
                <Chip tone="warn">revoked</Chip>
              ) : (
                <button
                  type="button"
                  class="danger"
                  aria-label={`Revoke the key that ends with ${hint}`}
                  onClick={() =>
                    confirm(`Revoke the ${kind} key …${hint}? Whoever uses it is refused from now on.`) &&
                    void attempt(() => ask(`${PATH}/${encodeURIComponent(key_id)}`, { method: 'DELETE' }))
                  }
                >
                  Revoke
                </button>
              )}
            </td>
          </tr>
        )}
      />
    </Panel>
  );
}
