/** One request to the server, its answer as a value: whoever asked decides what to do about it. */
import { type ErrorBody, type Issue, RenownError } from '../core/errors.ts';
import { sign } from './sign.ts';

/** The network, the clocks and the randomness that the SDK uses. */
export interface SdkSurroundings {
  fetch(url: string, init: RequestInit): Promise<Response>;
  now(): number;
  random(): number;
  sleep(ms: number): Promise<void>;
}

export interface ServerOptions {
  url: string;
  key: string;
  signingSecret: string | undefined;
  timeoutMs: number;
}

export type Answer =
  | { kind: 'done'; body: unknown }
  /** Worth another try: nobody answered, or the server said that it was its own trouble. */
  | { kind: 'later'; error: RenownError; retryAfterMs: number | undefined }
  | { kind: 'refused'; error: RenownError; status: number; details: readonly Issue[] };

const RETRY_AFTER_MS_MAX = 5 * 60_000;

export async function send(
  { url, key, signingSecret, timeoutMs }: ServerOptions,
  {
    method,
    path,
    body,
    signedAt,
    signal,
  }: { method: 'GET' | 'POST'; path: string; body?: string; signedAt?: number; signal?: AbortSignal },
  { fetch, now }: SdkSurroundings,
): Promise<Answer> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(body !== undefined &&
          signingSecret !== undefined &&
          signedAt !== undefined && { 'x-renown-signature': await sign(signingSecret, signedAt, body) }),
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
    const parsed = await readJson(response);
    if (response.ok) return { kind: 'done', body: parsed };
    const error = toError(response.status, parsed);
    if (isWorthRetrying(response.status))
      return {
        kind: 'later',
        error,
        retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), now()),
      };
    return { kind: 'refused', error, status: response.status, details: error.details ?? [] };
  } catch (cause) {
    const error = new RenownError('server_unavailable', `The server at ${url} does not answer.`, { cause });
    return { kind: 'later', error, retryAfterMs: undefined };
  }
}

/** Tries again a few times; for questions somebody waits for. */
export async function ask(
  server: ServerOptions,
  request: { method: 'GET' | 'POST'; path: string; body?: string },
  surroundings: SdkSurroundings,
): Promise<unknown> {
  const attempts = 3;
  for (let attempt = 1; ; attempt++) {
    const signedAt = Math.floor(surroundings.now() / 1000) + attempt - 1;
    const answer = await send(server, { ...request, signedAt }, surroundings);
    if (answer.kind === 'done') return answer.body;
    if (answer.kind === 'refused' || attempt === attempts) throw answer.error;
    await surroundings.sleep(answer.retryAfterMs ?? backoffMs(attempt, surroundings.random()));
  }
}

/** Exponential, from half a second to half a minute, with full jitter, so that clients do not come back as one. */
export function backoffMs(attempt: number, random: number): number {
  return random * Math.min(30_000, 500 * 2 ** (attempt - 1));
}

function isWorthRetrying(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Seconds or a date, bounded; undefined when the header is absent or neither. */
function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), RETRY_AFTER_MS_MAX);
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The error that the server described; anything else that answers is no Renown. A code that this version does not know
 * yet is handed on: the server may be newer.
 */
function toError(status: number, body: unknown): RenownError {
  const { code, error, details } = (body ?? {}) as Partial<ErrorBody>;
  if (typeof code === 'string' && typeof error === 'string') {
    return new RenownError(code, error, Array.isArray(details) ? { details } : {});
  }
  return new RenownError('server_unavailable', `The server answered ${status}, and not as Renown does.`);
}
