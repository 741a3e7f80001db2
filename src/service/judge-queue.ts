/**
 * Turns that wait for the judge, beside the path of requests: the receiver offers them after its commit and goes on. Of a
 * turn only the question is held. What finds no room, gets no answer or cannot be kept leaves its signals absent and is
 * counted; nobody waits for it.
 */
import { setTimeout } from 'node:timers/promises';
import { LIMITS } from '../core/limits.ts';
import type { PassedTurn } from '../telemetry/signals/turn-collector.ts';
import type { ServiceContext } from './context.ts';
import { type Question, toQuestion } from './judge-question.ts';
import type { SignalJudge } from './signal-judge.ts';
import { type TurnPlace, toReport } from './turn-report.ts';

interface Waiting {
  orgId: string;
  place: TurnPlace;
  question: Question;
}

export class JudgeQueue {
  readonly #context: Pick<ServiceContext, 'store'>;
  readonly #judge: SignalJudge;
  readonly #waiting: Waiting[] = [];
  /** Null where nobody is at work. */
  readonly #lanes: (Promise<void> | null)[] = Array.from({ length: LIMITS.judgeLanes }, () => null);

  constructor(context: Pick<ServiceContext, 'store'>, judge: SignalJudge) {
    this.#context = context;
    this.#judge = judge;
  }

  offer(turn: PassedTurn): void {
    // Of a question without an answer there is nothing to judge.
    if (turn.answers.length === 0 && turn.calls.length === 0) return;
    if (this.#waiting.length >= LIMITS.judgeQueueMax) {
      this.#judge.countFault('no_room');
      return;
    }
    const { orgId, sessionId, traceId, agentId, startedAt } = turn;
    const place = { sessionId, traceId, agentId, startedAt };
    this.#waiting.push({ orgId, place, question: toQuestion(turn) });
    const lane = this.#lanes.indexOf(null);
    if (lane !== -1) this.#lanes[lane] = this.#work(lane);
  }

  /** Waits a moment for answers; what is not there by then is given up. */
  async stop(): Promise<void> {
    await Promise.race([Promise.all(this.#lanes), setTimeout(LIMITS.judgeStopMs, undefined, { ref: false })]);
    for (const _ of this.#waiting.splice(0)) this.#judge.countFault('stopped');
    this.#judge.stop();
    await Promise.all(this.#lanes);
  }

  async #work(lane: number): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      // A store that is away now is no reason to leave the others unjudged.
      await this.#settle(next).catch(() => this.#judge.countFault('not_kept'));
    }
    this.#lanes[lane] = null;
  }

  async #settle({ orgId, place, question }: Waiting): Promise<void> {
    const measured = await this.#judge.measure(question);
    const report = measured && toReport(place, measured);
    if (report) await this.#context.store.signals.append(orgId, [report]);
  }
}
