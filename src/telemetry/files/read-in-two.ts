/**
 * Reads a large file with two threads, each one half of it: sessions come out the same however their records are divided,
 * so the halves need nothing from each other. Below the limit a second thread costs more than it saves.
 */
import { once } from 'node:events';
import { readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { isBuilt, programFolder } from '../../package/package-files.ts';
import type { OpenFile } from './open-file.ts';
import type { Range, RangeReading } from './range-reading.ts';

const IN_TWO_BYTES_MIN = 24 * 1024 * 1024;
const PROBE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** A thread starts from built JavaScript alone; from sources, as in tests, one thread does it all. */
const WORKER = isBuilt ? new URL('range-worker.js', programFolder) : null;

/**
 * Starts another thread on the second half of what comes after the offset. Answers with where that half begins, and with
 * what will have been read of it; null where it is not worth it.
 */
export function readSecondHalf(
  { descriptor, size }: OpenFile,
  offset: number,
): { from: number; reading: Promise<RangeReading> } | null {
  if (WORKER === null || size - offset < IN_TWO_BYTES_MIN || availableParallelism() < 2) return null;
  const from = lineAfter(descriptor, offset + Math.floor((size - offset) / 2));
  if (from === null) return null;
  const range: Range = { descriptor, from, to: size };
  const worker = new Worker(WORKER, { workerData: range });
  const reading = once(worker, 'message').then(([found]) => found as RangeReading);
  // Whoever waits for it hears of a failure; until then nobody does.
  reading.catch(() => undefined);
  return { from, reading };
}

/** Where the next line begins; null if there is none. */
function lineAfter(descriptor: number, offset: number): number | null {
  const probe = Buffer.alloc(PROBE_BYTES);
  for (let at = offset; ; at += PROBE_BYTES) {
    const bytes = readSync(descriptor, probe, 0, PROBE_BYTES, at);
    const newline = probe.subarray(0, bytes).indexOf(NEWLINE);
    if (newline !== -1) return at + newline + 1;
    if (bytes < PROBE_BYTES) return null;
  }
}
