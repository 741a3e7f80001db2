/**
 * Reads a large file with two threads, each one half of it: sessions come out the same however their records are divided,
 * so the halves need nothing from each other. Below the limit a second thread costs more than it saves.
 */
import { once } from 'node:events';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { isBuilt, programFolder } from '../../package/package-files.ts';
import type { RangeReading } from './range-reading.ts';

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
  path: string,
  offset: number,
): { from: number; reading: Promise<RangeReading> } | null {
  const { size } = statSync(path);
  if (WORKER === null || size - offset < IN_TWO_BYTES_MIN || availableParallelism() < 2) return null;
  const from = lineAfter(path, offset + Math.floor((size - offset) / 2));
  if (from === null) return null;
  const worker = new Worker(WORKER, { workerData: { path, from, to: size } });
  return { from, reading: once(worker, 'message').then(([reading]) => reading as RangeReading) };
}

/** Where the next line begins; null if there is none. */
function lineAfter(path: string, offset: number): number | null {
  const file = openSync(path, 'r');
  try {
    const probe = Buffer.alloc(PROBE_BYTES);
    for (let at = offset; ; at += PROBE_BYTES) {
      const bytes = readSync(file, probe, 0, PROBE_BYTES, at);
      const newline = probe.subarray(0, bytes).indexOf(NEWLINE);
      if (newline !== -1) return at + newline + 1;
      if (bytes < PROBE_BYTES) return null;
    }
  } finally {
    closeSync(file);
  }
}
