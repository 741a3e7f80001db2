import { LIMITS } from '../../core/limits.ts';
import type { RollUps } from './roll-ups.ts';

/** Builds roll-ups from time to time, beside the work of the store. A failure is of no harm: days are read row by row then. */
export class RollUpKeeper {
  readonly #rollUps: RollUps;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | null = null;

  constructor(rollUps: RollUps, everyMs: number = LIMITS.rollUpEveryMs) {
    this.#rollUps = rollUps;
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** One at a time: a server that is slower than the interval is not asked for more. */
  #look(): void {
    this.#running ??= this.#rollUps
      .build()
      .catch(() => undefined)
      .finally(() => {
        this.#running = null;
      });
  }
}
