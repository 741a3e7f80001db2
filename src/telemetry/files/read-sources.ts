/** Reads files of telemetry into one table of sessions. */
import { SessionTable } from '../session-table.ts';
import { type Reading, TelemetryReader } from '../telemetry-reader.ts';
import { ByteLines } from './byte-lines.ts';
import { isGzipped, readGzipped, readPlain, readStream } from './read-file.ts';

/** What was read from all sources, and what of it could not be used. */
export interface SourcesRead {
  table: SessionTable;
  reading: Reading & {
    /** Lines above the limit. */
    tooLongLines: number;
    /** Last lines that are still being written. */
    unfinishedLines: number;
  };
}

export async function readSources(
  paths: readonly string[],
  stdin: NodeJS.ReadableStream,
): Promise<SourcesRead> {
  const table = new SessionTable();
  const reader = new TelemetryReader(table);
  let tooLongLines = 0;
  let unfinishedLines = 0;
  for (const path of paths) {
    const lines = new ByteLines((bytes, start, end) => {
      if (!reader.readLine(bytes, start, end)) reader.reading.brokenLines++;
    });
    if (path === '-') await readStream(stdin, lines);
    else if (isGzipped(path)) await readGzipped(path, lines);
    else readPlain(path, 0, lines);
    const rest = lines.rest();
    if (rest.length > 0 && !reader.readLine(rest, 0, rest.length)) unfinishedLines++;
    tooLongLines += lines.tooLong;
  }
  return { table, reading: { ...reader.reading, tooLongLines, unfinishedLines } };
}
