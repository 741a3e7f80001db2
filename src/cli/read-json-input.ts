import type { Io } from './io.ts';
import { type JsonInput, parseJsonInput } from './parse-json-input.ts';
import { readText } from './read-text.ts';

/** A file of JSON or JSON Lines, or standard input for `-`; a refusal names the file. */
export async function readJsonInput(file: string, source: { io: Io; bytesMax: number }): Promise<JsonInput> {
  return parseJsonInput(await readText(file, source), file === '-' ? undefined : file);
}
