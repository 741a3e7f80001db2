/** The body of a request, with every bound checked before anything is parsed. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { checkDepth } from './json-depth.ts';

const inflate = promisify(gunzip);

export interface Body {
  /** As sent, which is what a signature is made over. */
  bytes: Buffer;
  json: unknown;
}

export async function readJson(request: IncomingMessage): Promise<Body> {
  const { bytes, unpacked } = await readRaw(request, ['application/json']);
  return { bytes, json: parse(unpacked) };
}

/** A body of one of these types, as sent and unpacked. */
export async function readRaw(
  request: IncomingMessage,
  types: readonly string[],
): Promise<{ bytes: Buffer; unpacked: Buffer }> {
  checkType(request, types);
  const bytes = await readBytes(request);
  return { bytes, unpacked: await decompress(bytes, request.headers['content-encoding']) };
}

function checkType({ headers }: IncomingMessage, types: readonly string[]): void {
  const [, type = '', charset = 'utf-8'] =
    /^([\w.+/-]+)\s*(?:;\s*charset="?([\w-]+)"?\s*)?$/i.exec(headers['content-type'] ?? '') ?? [];
  if (!types.includes(type.toLowerCase()) || charset.toLowerCase() !== 'utf-8') {
    throw new RenownError(
      'unsupported_media_type',
      `The body must be ${types.join(' or ')} in UTF-8; say so with Content-Type.`,
    );
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^(gzip|identity)$/i.test(encoding)) {
    throw new RenownError(
      'unsupported_media_type',
      'A body may be compressed with gzip, and with nothing else.',
    );
  }
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  const { requestBodyBytesMax: max } = LIMITS;
  if (Number(request.headers['content-length'] ?? 0) > max) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > max) {
        request.pause();
        reject(tooLarge());
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', (cause) => reject(cutOff(cause)));
    request.on('close', () => {
      if (!request.complete) reject(cutOff(undefined));
    });
  });
}

async function decompress(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding?.toLowerCase() !== 'gzip') return bytes;
  try {
    return await inflate(bytes, { maxOutputLength: LIMITS.requestBodyBytesMax });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new RenownError('invalid_json', 'The body says it is gzip, and is not.', { cause });
  }
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new RenownError('invalid_json', 'The body is not text in UTF-8.');
  checkDepth(bytes);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    // The parser's own message may quote the body.
    const position = /at position (\d+)/.exec((cause as Error).message)?.[1];
    const where = position === undefined ? '' : ` It breaks at character ${position}.`;
    throw new RenownError('invalid_json', `The body is not JSON.${where}`, { cause });
  }
}

function tooLarge(): RenownError {
  return new RenownError(
    'payload_too_large',
    `The body is larger than ${LIMITS.requestBodyBytesMax} bytes, as sent or unpacked. Split it into several.`,
  );
}

function cutOff(cause: unknown): RenownError {
  return new RenownError('invalid_request', 'The body ended before it was complete.', { cause });
}
