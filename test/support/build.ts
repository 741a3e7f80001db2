import { buildIfStale } from '../../scripts/build.js';

/** Tests that start the real program run what the sources say now. */
export default function setup(): void {
  buildIfStale();
}
