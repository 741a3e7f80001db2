/** Bytes of a file, plain or gzipped, or of a stream, as lines for a reader. */
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import type { ByteLines } from './byte-lines.ts';

const CHUNK_BYTES = 1024 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b] as const;

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

export async function readGzipped(path: string, lines: ByteLines): Promise<void> {
  const input = createReadStream(path);
  await readStream(input.pipe(createGunzip()), lines);
}

export async function readStream(stream: NodeJS.ReadableStream, lines: ByteLines): Promise<void> {
  for await (const chunk of stream as AsyncIterable<Buffer>) lines.push(chunk);
}

/** By what it contains, whatever its name says. */
export function isGzipped(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(GZIP_MAGIC.length);
    return (
      readSync(file, head, 0, head.length, 0) === head.length &&
      GZIP_MAGIC.every((byte, i) => head[i] === byte)
    );
  } finally {
    closeSync(file);
  }
}
