import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { uuidv7 } from 'uuidv7';
import { type ErrorCode, RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { toErrorReply } from './reply.ts';

const FAULTS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    `The headers are larger than ${LIMITS.requestHeaderBytesMax} bytes.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};

/** What did not become a request, because it is not HTTP or took too long, is answered with the error body as well. */
export function answerBadClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = FAULTS[error.code ?? ''] ?? [
    'invalid_request',
    'This is not HTTP that can be understood.',
  ];
  const { status = 400, json } = toErrorReply(new RenownError(code, message), uuidv7());
  const body = JSON.stringify(json);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
