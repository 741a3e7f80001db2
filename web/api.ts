/** Requests to the API of this server. The session is in a cookie that no script can read. */
import type { ErrorBody } from '../src/core/errors.ts';

/** What was answered instead of what was asked for; `status` is 0 when nobody answered. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody | undefined;

  constructor(message: string, status: number, body?: ErrorBody) {
    super(message);
    this.status = status;
    this.body = body;
  }

  /** Whether the same request may fare better in a while. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

interface Asking {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  body?: unknown;
}

/** Given up together, when nobody is signed in any more. */
let underWay = new AbortController();
export function abandonRequests(): void {
  underWay.abort();
  underWay = new AbortController();
}

/** Called when an answer says that the session is over. */
let onSignedOut = () => {};
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

export async function ask<T>(path: string, { method = 'GET', body }: Asking = {}): Promise<T> {
  const answer = await fetch(addressOf(path), {
    method,
    credentials: 'same-origin',
    signal: underWay.signal,
    headers: {
      ...(method !== 'GET' && { 'x-renown-dashboard': '1' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError('The server does not answer.', 0);
  });
  const json = await answer.json().catch(() => undefined);
  if (answer.ok) return json as T;
  if (answer.status === 401 && !path.startsWith('dashboard/')) onSignedOut();
  const refusal = json as ErrorBody | undefined;
  throw new ApiError(refusal?.error ?? `The server answered with ${answer.status}.`, answer.status, refusal);
}

/** Paths are relative to where the dashboard is served, which a proxy may have put under a prefix. */
export function addressOf(path: string): string {
  return new URL(path, document.baseURI).href;
}

/** A path with its query; what is empty is left out. */
export function withQuery(path: string, query: Record<string, string | number | undefined | null>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}?${search}`;
}
