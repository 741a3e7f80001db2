import { useState } from 'preact/hooks';
import { ApiError, ask } from '../../api.ts';
import { refresh } from '../../query.ts';
import { Dialog, Problem } from '../../ui/parts.tsx';
import type { GateSuite } from '../../wire.ts';

/** Another suite for the org, as the JSON of a gate file; the server says what is wrong with it. */
export function SuiteDialog({ suite, onClose }: { suite: GateSuite; onClose(): void }) {
  const [text, setText] = useState(JSON.stringify(suite.suite, null, 2));
  const [error, setError] = useState<ApiError | null>(null);

  async function change(work: () => Promise<unknown>) {
    try {
      await work();
      await refresh('v1/gates');
      onClose();
    } catch (thrown) {
      setError(thrown as ApiError);
    }
  }

  function save(event: SubmitEvent) {
    event.preventDefault();
    void change(() => ask('v1/gates', { method: 'PUT', body: parse(text) }));
  }

  return (
    <Dialog title="Change the gate suite" onClose={onClose}>
      <form class="fields" onSubmit={save}>
        <p class="note">
          Outputs that this server judges from now on are judged by it, and carry its hash. Evaluations before
          it keep theirs.
        </p>
        <label>
          Suite
          <textarea
            class="source"
            rows={14}
            spellcheck={false}
            required
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <Problem error={error} />
        <ul class="reasons">
          {error?.body?.details?.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
        <div class="actions">
          {!suite.is_default && (
            <button type="button" onClick={() => void change(() => ask('v1/gates', { method: 'DELETE' }))}>
              Back to the default
            </button>
          )}
          <button type="submit" class="primary">
            Judge by this
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError(`This is not JSON: ${(cause as Error).message}.`, 400);
  }
}
