/** One stretch of a file, from the beginning of a line to the end of another, as what can pass between threads. */
import { SessionTable } from '../session-table.ts';
import { type Reading, TelemetryReader } from '../telemetry-reader.ts';
import { ByteLines } from './byte-lines.ts';
import { readPlain } from './read-file.ts';

export interface Range {
  descriptor: number;
  from: number;
  to: number;
}

export interface RangeReading {
  /** Bytes of complete lines. */
  consumed: number;
  reading: Reading;
  described: string;
  columns: Uint8Array[];
}

export function readRange({ descriptor, from, to }: Range): RangeReading {
  const table = new SessionTable();
  const reader = new TelemetryReader(table);
  const lines = new ByteLines((bytes, start, end) => {
    if (!reader.readLine(bytes, start, end)) reader.reading.brokenLines++;
  });
  readPlain(descriptor, from, lines, to);
  reader.reading.tooLongLines += lines.tooLong;
  return { consumed: lines.consumed, reading: reader.reading, ...table.toParts() };
}
