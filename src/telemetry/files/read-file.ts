/** Bytes of a file, plain or gzipped, or of a stream, as lines for a reader. */
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import type { ByteLines } from './byte-lines.ts';

const CHUNK_BYTES = 1024 * 1024;
const MAGIC = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;

/** Reads a plain file from one offset to another, or its present end, without waiting: nothing else runs meanwhile. */
export function readPlain(
  path: string,
  offset: number,
  lines: ByteLines,
  end = Number.POSITIVE_INFINITY,
): void {
  const file = openSync(path, 'r');
  try {
    let at = offset;
    for (;;) {
      const room = lines.room(Math.min(CHUNK_BYTES, end - at));
      const bytes = readSync(file, room, 0, room.length, at);
      if (bytes === 0) return;
      at += bytes;
      lines.filled(bytes);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * False for a file that is cut short or damaged; what came before that was read. Each piece is taken when it comes, because
 * a stream that fails throws away what was not yet asked for.
 */
export function readGzipped(path: string, lines: ByteLines): Promise<boolean> {
  const unzipped = createGunzip();
  createReadStream(path)
    .on('error', (error) => unzipped.destroy(error))
    .pipe(unzipped);
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

export async function readStream(stream: NodeJS.ReadableStream, lines: ByteLines): Promise<void> {
  for await (const chunk of stream as AsyncIterable<Buffer>) lines.push(chunk);
}

/** How it is compressed, by what it contains, whatever its name says; null for a plain file. */
export function compressionOf(path: string): keyof typeof MAGIC | null {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(MAGIC.zstd.length);
    readSync(file, head, 0, head.length, 0);
    const starts = (magic: readonly number[]) => magic.every((byte, i) => head[i] === byte);
    return starts(MAGIC.gzip) ? 'gzip' : starts(MAGIC.zstd) ? 'zstd' : null;
  } finally {
    closeSync(file);
  }
}
