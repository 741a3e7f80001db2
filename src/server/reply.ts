/** Writes answers. Headers go out as one flat list, which Node takes as it is. */
import type { ServerResponse } from 'node:http';
import { ERRORS, type RenownError, toErrorBody } from '../core/errors.ts';
import type { Reply } from './route.ts';

/** An API answer is nobody's page: it is not to be framed, sniffed, kept or referred from. */
const SECURITY_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'X-Frame-Options',
  'DENY',
] as const;

const PRIVATE = ['Cache-Control', 'no-store', 'Content-Security-Policy', "default-src 'none'"] as const;

/** `headers` are those that every answer to this request carries. */
export function writeReply(response: ServerResponse, reply: Reply, headers: readonly string[]): number {
  const { status = 200, text } = reply;
  const body = text?.body ?? JSON.stringify(reply.json);
  const all = [
    'Content-Type',
    text?.type ?? 'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
    ...SECURITY_HEADERS,
    ...(text ? [] : PRIVATE),
    ...headers,
    ...(reply.headers ?? []),
  ];
  response.writeHead(status, all);
  response.end(body);
  return status;
}

export function writeStreamHead(response: ServerResponse, reply: Reply, headers: readonly string[]): void {
  const { status = 200, text } = reply;
  const type = text?.type ?? 'application/octet-stream';
  const own = reply.headers ?? [];
  response.writeHead(status, ['Content-Type', type, ...SECURITY_HEADERS, ...PRIVATE, ...headers, ...own]);
}

export function toErrorReply(error: RenownError, requestId: string): Reply {
  return { status: ERRORS[error.code].status, json: toErrorBody(error, requestId) };
}
