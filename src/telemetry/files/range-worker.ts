/** The other thread: reads the stretch it was started for, hands it over, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Range, readRange } from './range-reading.ts';

parentPort?.postMessage(readRange(workerData as Range));
