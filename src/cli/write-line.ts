import { once } from 'node:events';
import type { Io } from './io.ts';

/** Writes a line, and waits while the reader is slower than we are. */
export async function writeLine(stream: Io['stdout'], text: string): Promise<void> {
  if (!stream.write(`${text}\n`)) await once(stream, 'drain');
}
