/** Pages of other origins may ask only where the configuration names them. */
import type { IncomingMessage } from 'node:http';
import type { Reply } from './route.ts';

export interface Cors {
  /** Empty for none; `*` for all. */
  origins: ReadonlySet<string>;
}

export function corsHeaders(request: IncomingMessage, { origins }: Cors): string[] {
  const { origin = '' } = request.headers;
  if (!origins.has('*') && !origins.has(origin)) return [];
  return [
    'Access-Control-Allow-Origin',
    origins.has('*') ? '*' : origin,
    'Vary',
    'Origin',
    'Access-Control-Expose-Headers',
    'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
  ];
}

/** The question a browser asks first. Without the headers that allow it, it is answered with no. */
export function preflight(request: IncomingMessage, cors: Cors): Reply {
  const allowed = corsHeaders(request, cors).length > 0;
  return {
    status: 204,
    text: { type: 'text/plain', body: '' },
    headers: allowed
      ? [
          'Access-Control-Allow-Methods',
          'GET, POST, PUT, PATCH, DELETE',
          'Access-Control-Allow-Headers',
          'Authorization, Content-Type, Content-Encoding, X-Renown-Signature, X-Request-Id, Last-Event-ID',
          'Access-Control-Max-Age',
          '600',
        ]
      : [],
  };
}
