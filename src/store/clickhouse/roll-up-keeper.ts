import { LIMITS } from '../../core/limits.ts';
import type { Connection } from './connection.ts';
import { rollUp } from './roll-ups.ts';

/** Builds roll-ups from time to time, beside the work of the store. A failure is of no harm: days are read row by row then. */
export class RollUpKeeper {
  readonly #connection: Connection;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#timer = setInterval(() => this.#look(), LIMITS.rollUpEveryMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  #look(): void {
    this.#running = this.#running.then(() => rollUp(this.#connection)).catch(() => undefined);
  }
}
