import { useState } from 'preact/hooks';
import { type ApiError, ask } from '../../api.ts';
import { refresh, useQuery } from '../../query.ts';
import { Code, Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import type { NewWebhook, WebhookList } from '../../wire.ts';

const PATH = 'v1/webhooks';

export function Webhooks() {
  const { data, error } = useQuery<WebhookList>(PATH);
  const [made, setMade] = useState<NewWebhook | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  async function attempt(work: () => Promise<unknown>) {
    try {
      await work();
      setFailure(null);
      await refresh(PATH);
    } catch (thrown) {
      setFailure(thrown as ApiError);
    }
  }
  function add(event: SubmitEvent) {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const url = String(new FormData(form).get('url'));
    void attempt(async () => {
      setMade(await ask<NewWebhook>(PATH, { method: 'POST', body: { url } }));
      form.reset();
    });
  }
  return (
    <Panel title="Webhooks" note="signed, tried again for hours, never to private addresses">
      <Problem error={error.value ?? failure} />
      {!data.value && !error.value && <Skeleton rows={2} height={32} />}
      <ul class="rows">
        {data.value?.items.map(({ webhook_id, url, kinds }) => (
          <li key={webhook_id}>
            <code>{url}</code>
            <span class="note">{kinds.length === 0 ? 'all kinds' : kinds.join(', ')}</span>
            <button
              type="button"
              class="danger"
              onClick={() =>
                void attempt(() => ask(`${PATH}/${encodeURIComponent(webhook_id)}`, { method: 'DELETE' }))
              }
            >
              Delete
            </button>
          </li>
        ))}
      </ul>
      {made && (
        <>
          <p class="note">The secret that signs what goes to {made.url}, shown this once:</p>
          <Code text={made.secret} />
        </>
      )}
      <form class="row" onSubmit={add}>
        <label class="grow">
          <span class="unseen">Address</span>
          <input name="url" type="url" required placeholder="https://hooks.example/renown" />
        </label>
        <button type="submit">Add</button>
      </form>
    </Panel>
  );
}
