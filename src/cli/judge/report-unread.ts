import type { SourcesRead } from '../../telemetry/files/sources.ts';
import type { Io } from '../io.ts';

/** Says what was read and could not be used: counted and reported, never guessed. */
export function reportUnread({ reading }: SourcesRead, io: Io): void {
  const notes: [number, string][] = [
    [reading.withoutSession, 'name no session'],
    [reading.unknown, 'are of no agent that is known'],
    [reading.unsound, 'have an id that is too long or a number that is out of range'],
  ];
  for (const [count, what] of notes) {
    if (count > 0) io.stderr.write(`${count} of ${reading.records} records ${what}, and are not counted.\n`);
  }
  // A last line without an end is still being written, unless there is nothing but such a line.
  const brokenLines = reading.brokenLines + (reading.records === 0 ? reading.unfinishedLines : 0);
  if (brokenLines > 0) io.stderr.write(`${brokenLines} lines are not JSON, and were passed over.\n`);
  if (reading.tooLongLines > 0)
    io.stderr.write(`${reading.tooLongLines} lines are too long, and were passed over.\n`);
  if (reading.cutFiles > 0)
    io.stderr.write(`${reading.cutFiles} zipped files break off, and were read as far as they go.\n`);
  if (reading.zstdFiles > 0)
    io.stderr.write(`${reading.zstdFiles} files are compressed with zstd, and were not read: unpack them.\n`);
}
