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

export class JudgeStation {
  readonly #context: ServiceContext;
  readonly #intake: TelemetryIntake;
  readonly #log: Log;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<unknown> | null = null;

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
    const { store, clock } = this.#context;
    await this.#intake.sweep();
    const due = await store.sessions.due(clock() - LIMITS.sessionQuietMs, LIMITS.judgedAtOnce);
    let judged = 0;
    for (const place of due) {
      try {
        if (!(await settleSession(this.#context, place))) continue;
        judged++;
        await tellOfSession(this.#context, place, this.#log);
      } catch (error) {
        this.#log.error({ error: (error as Error).name }, 'a session could not be judged');
      }
    }
    if (judged > 0) this.#log.info({ judged }, 'sessions judged');
    return judged;
  }

  /** Turns that are still open are measured before their texts go. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#looking;
    await this.#intake.sweep({ all: true });
  }
}
