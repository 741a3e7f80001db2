/** The cookie of the dashboard: out of reach of scripts, never sent along by other sites, and no proof that we were asked. */
import type { IncomingMessage } from 'node:http';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';

const NAME = 'renown_session';
/** No page of another origin can send it: it makes the browser ask us first, and we say no. */
const ASKED_BY_US = 'x-renown-dashboard';

export function sessionTokenOf({ headers }: IncomingMessage): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === NAME && value) return value;
  }
  return undefined;
}

/** An empty token takes the cookie away. */
export function sessionCookie(token: string, { path, secure }: { path: string; secure: boolean }): string {
  const seconds = token === '' ? 0 : LIMITS.webSessionMs / 1000;
  const flags = `HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return `${NAME}=${token}; Path=${path}; Max-Age=${seconds}; ${flags}`;
}

/**
 * SameSite keeps other sites out, and takes other ports of one machine for the same site. So whatever changes something
 * must carry a header of ours, and come from this very origin where the browser says from where.
 */
export function refuseForgery({ method, headers }: IncomingMessage): void {
  if (method === 'GET' || method === 'HEAD') return;
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isOurs =
    site !== undefined ? site === 'same-origin' : origin === undefined || hostOf(origin) === headers.host;
  if (headers[ASKED_BY_US] === undefined || !isOurs) {
    throw new RenownError('forbidden', 'A session of the dashboard changes things from the dashboard alone.');
  }
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
