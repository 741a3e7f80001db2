/** Judges sessions by itself: those that said that they ended, and those of which nothing has come for half an hour. */
import { LIMITS } from '../core/limits.ts';
import type { AlertLog } from './alerts/alerts.ts';
import { tellOfSession } from './alerts/session-alerts.ts';
import type { ServiceContext } from './context.ts';
import { settleSession } from './judge-stored.ts';
import type { TelemetryIntake } from './telemetry-intake.ts';

interface Log extends AlertLog {
  info(what: object, message: string): void;
  error(what: object, message: string): void;
}

type Place = Parameters<typeof settleSession>[1];

export class JudgeStation {
  readonly #context: ServiceContext;
  readonly #intake: TelemetryIntake;
  readonly #log: Log;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<unknown> | null = null;
  /** Sessions that could not be judged, by org and id, and until when they are left alone; the oldest first. */
  readonly #putOff = new Map<string, number>();

  constructor(context: ServiceContext, intake: TelemetryIntake, log: Log) {
    this.#context = context;
    this.#intake = intake;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => {
      // What goes wrong is tried again at the next look.
      this.#looking ??= this.look()
        .catch((error: Error) => this.#log.error({ error: error.name }, 'judging failed'))
        .finally(() => {
          this.#looking = null;
        });
    }, LIMITS.judgeEveryMs);
  }

  /** One look at what is due; answers how many sessions were judged. One that cannot be judged holds up no other. */
  async look(): Promise<number> {
    await this.#intake.sweep();
    let judged = 0;
    for (const place of await this.#due()) {
      if (await this.#settle(place)) judged++;
      else this.#postpone(place);
    }
    if (judged > 0) this.#log.info({ judged }, 'sessions judged');
    return judged;
  }

  /** Those that were put off stay due, and are passed over: as many more are asked for as there are of them. */
  async #due(): Promise<Place[]> {
    const now = this.#context.clock();
    for (const [key, until] of this.#putOff) if (until <= now) this.#putOff.delete(key);
    const limit = LIMITS.judgedAtOnce + this.#putOff.size;
    const due = await this.#context.store.sessions.due(now - LIMITS.sessionQuietMs, limit);
    return due.filter((place) => !this.#putOff.has(keyOf(place))).slice(0, LIMITS.judgedAtOnce);
  }

  async #settle(place: Place): Promise<boolean> {
    try {
      if (!(await settleSession(this.#context, place))) return false;
      await tellOfSession(this.#context, place, this.#log);
      return true;
    } catch (error) {
      this.#log.error({ error: (error as Error).name }, 'a session could not be judged');
      return false;
    }
  }

  #postpone(place: Place): void {
    this.#putOff.set(keyOf(place), this.#context.clock() + LIMITS.judgePutOffMs);
    const [oldest] = this.#putOff.keys();
    if (this.#putOff.size > LIMITS.judgePutOffMax && oldest !== undefined) this.#putOff.delete(oldest);
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#looking;
    await this.#intake.stop();
  }
}

function keyOf({ orgId, sessionId }: Place): string {
  return `${orgId}\n${sessionId}`;
}
