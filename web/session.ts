/** Who is signed in. The key goes to the server once and is kept nowhere; what stays is a cookie out of our reach. */
import { computed, signal } from '@preact/signals';
import { ApiError, abandonRequests, ask, whenSignedOut } from './api.ts';
import { forgetAll } from './query.ts';
import { startStream, stopStream } from './stream.ts';
import type { Me } from './wire.ts';

/** Undefined until we know. */
export const me = signal<Me | undefined>(undefined);
export const signInError = signal<ApiError | null>(null);
export const canAdminister = computed(() => me.value?.signed_in === true && me.value.kind === 'sk');

const RETRY_MS = 2_000;

/** The link printed at the start has its secret behind the #, where it is sent to nobody but by us. */
export async function begin(): Promise<void> {
  const link = location.hash.slice(1);
  if (/^[0-9a-f]{64}$/.test(link)) {
    history.replaceState(null, '', location.pathname + location.search);
    if (await signIn({ link })) return;
  }
  await look();
}

export async function signIn(what: { key: string } | { link: string }): Promise<boolean> {
  signInError.value = null;
  try {
    become(await ask<Me>('dashboard/sign-in', { method: 'POST', body: what }));
    return true;
  } catch (thrown) {
    signInError.value = thrown as ApiError;
    return false;
  }
}

/** Nothing is on the screen and nothing under way when the session ends, so that nothing is refused after it. */
export async function signOut(): Promise<void> {
  const before = me.value;
  me.value = undefined;
  stopStream();
  abandonRequests();
  try {
    become(await ask<Me>('dashboard/sign-out', { method: 'POST' }));
  } catch (thrown) {
    signInError.value = thrown as ApiError;
    if (before) become(before);
  }
}

async function look(): Promise<void> {
  try {
    become(await ask<Me>('dashboard/me'));
    if (signInError.value?.status === 0) signInError.value = null;
  } catch (thrown) {
    if (me.value === undefined) signInError.value = thrown as ApiError;
    setTimeout(look, RETRY_MS);
  }
}

function become(next: Me): void {
  const before = me.value?.signed_in ? me.value.org_id : undefined;
  if (!next.signed_in || before !== next.org_id) forgetAll();
  me.value = next;
  if (next.signed_in) startStream();
  else stopStream();
}

whenSignedOut(() => {
  if (!me.value?.signed_in) return;
  signInError.value = new ApiError('The session has ended. Sign in again.', 401);
  become({ signed_in: false, version: me.value.version });
});
