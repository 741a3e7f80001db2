import { LIMITS } from '../../core/limits.ts';
import type { RollUps } from './roll-ups.ts';

/** Builds roll-ups from time to time, beside the work of the store. A failure is of no harm: days are read row by row then. */
export class RollUpKeeper {
  readonly #rollUps: RollUps;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();

  constructor(rollUps: RollUps, everyMs: number = LIMITS.rollUpEveryMs) {
    this.#rollUps = rollUps;
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  #look(): void {
    this.#running = this.#running.then(() => this.#rollUps.build()).catch(() => undefined);
  }
}
