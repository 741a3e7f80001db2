/** Bytes of a file or of a stream, plain or gzipped, as lines for a reader. */
import { createReadStream, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ByteLines } from './byte-lines.ts';
import { compressionOf, type OpenFile } from './open-file.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Reads a plain file from one offset to another, or its present end, without waiting: nothing else runs meanwhile. */
export function readPlain(
  descriptor: number,
  offset: number,
  lines: ByteLines,
  end = Number.POSITIVE_INFINITY,
): void {
  for (let at = offset; ; ) {
    const room = lines.room(Math.min(CHUNK_BYTES, end - at));
    const bytes = readSync(descriptor, room, 0, room.length, at);
    if (bytes === 0) return;
    at += bytes;
    lines.filled(bytes);
  }
}

/** False for a file that is cut short or damaged; what came before that was read. */
export function readGzipped({ descriptor }: OpenFile, lines: ByteLines): Promise<boolean> {
  return unzip(createReadStream('', { fd: descriptor, autoClose: false, start: 0 }), lines);
}

/** What comes through a pipe, in order and once. False where it is zipped and breaks off. */
export function readPipe({ descriptor }: OpenFile, lines: ByteLines): Promise<boolean> {
  return readStream(createReadStream('', { fd: descriptor, autoClose: false }), lines);
}

/** The same for a stream. */
export async function readStream(stream: NodeJS.ReadableStream, lines: ByteLines): Promise<boolean> {
  const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return true;
  const all = startingWith(first.value, chunks);
  if (compressionOf(first.value) === 'gzip') return unzip(Readable.from(all), lines);
  for await (const chunk of all) lines.push(chunk);
  return true;
}

async function* startingWith(first: Buffer, others: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
}

/** Each piece is taken when it comes, because a stream that fails throws away what was not yet asked for. */
function unzip(zipped: Readable, lines: ByteLines): Promise<boolean> {
  const unzipped = createGunzip();
  zipped.on('error', (error) => unzipped.destroy(error)).pipe(unzipped);
  return new Promise((resolve, reject) => {
    unzipped
      .on('data', (chunk: Buffer) => {
        try {
          lines.push(chunk);
        } catch (error) {
          unzipped.destroy(error as Error);
        }
      })
      .on('end', () => resolve(true))
      .on('error', (error: NodeJS.ErrnoException) =>
        error.code?.startsWith('Z_') ? resolve(false) : reject(error),
      );
  });
}
