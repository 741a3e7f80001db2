import { useState } from 'preact/hooks';
import { me, signIn, signInError } from '../session.ts';
import { Mark } from '../ui/mark.tsx';
import { Problem } from '../ui/parts.tsx';

export function SignIn() {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    if (await signIn({ key: key.trim() })) setKey('');
    setBusy(false);
  }
  document.title = 'Sign in · Renown';
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <Mark size={40} />
        <h1>Sign in to Renown</h1>
        <p>The record of AI agents, turned into trust.</p>
        <label>
          Key
          <input
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            placeholder="sk_live_… or pk_live_…"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
            required
          />
        </label>
        <button type="submit" class="primary" disabled={busy}>
          Sign in
        </button>
        <Problem error={signInError.value} />
        <p class="note">
          The key goes to this server once, for a cookie that scripts cannot read. An <code>sk</code> key can
          also change things; a <code>pk</code> key only looks, and starts runs. Keys are made with{' '}
          <code>renown keys create</code>; on the machine itself, the link that <code>renown serve</code>{' '}
          prints signs you in.
        </p>
        {me.value && <p class="note">Renown {me.value.version}</p>}
      </form>
    </main>
  );
}
