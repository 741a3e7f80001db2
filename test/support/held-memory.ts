/** What a piece of code leaves in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** How many bytes more are held after something was done, garbage apart. */
export function heldBytesAfter(act: () => void): number {
  collectAll();
  const before = bytesHeld();
  act();
  collectAll();
  return bytesHeld() - before;
}

/** What the first round finds dead may hold bytes that only the second one gives back. */
function collectAll(): void {
  collect();
  collect();
}

/** Long strings lie outside the heap. */
function bytesHeld(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
