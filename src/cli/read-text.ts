import { createReadStream } from 'node:fs';
import { RenownError } from '../core/errors.ts';
import type { Io } from './io.ts';

/** A whole file, or standard input for `-`, as text. Stops reading at the limit, before anything is parsed. */
export async function readText(
  file: string,
  { io, bytesMax }: { io: Io; bytesMax: number },
): Promise<string> {
  const name = file === '-' ? 'Standard input' : file;
  const bytes = await readBounded(file === '-' ? io.stdin : createReadStream(file), name, bytesMax);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RenownError('invalid_json', `${name} is not text in UTF-8.`, { cause });
  }
}

async function readBounded(stream: NodeJS.ReadableStream, name: string, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > bytesMax) {
        throw new RenownError(
          'payload_too_large',
          `${name} is larger than ${bytesMax} bytes. Split it into several.`,
        );
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof RenownError) throw cause;
    throw unreadable(name, cause);
  }
  return Buffer.concat(chunks);
}

/** What the system said of a file, as one of our errors. */
export function unreadable(name: string, cause: unknown): RenownError {
  const { code } = cause as NodeJS.ErrnoException;
  return new RenownError(
    'unreadable_input',
    `${name} could not be read (${code}). Check its path and rights.`,
    { cause },
  );
}
