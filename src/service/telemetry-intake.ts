/**
 * What exporters send, on its way into the ledger: decoded, looked at while it passes by, and stored as metadata. The
 * answer comes after the commit. Sent again, all of it changes nothing.
 */
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { SignalReport } from '../store/store.ts';
import type { OtlpSignal } from '../telemetry/otlp/protobuf.ts';
import { type OtlpEncoding, RequestReader } from '../telemetry/request-reader.ts';
import { extractSignals } from '../telemetry/signals/extract-signals.ts';
import { type PassedTurn, TurnCollector } from '../telemetry/signals/turn-collector.ts';
import type { ServiceContext } from './context.ts';
import type { JudgeQueue } from './judge-queue.ts';
import { JUDGED } from './signal-judge.ts';
import { toReport } from './turn-report.ts';

export interface ExportRequest {
  orgId: string;
  signal: OtlpSignal;
  encoding: OtlpEncoding;
  bytes: Buffer;
}

/** What became of a request. Only what is rejected is the sender's business; the rest is for the metrics. */
export interface Taken {
  records: number;
  /** Told of a known agent and unusable. */
  rejected: number;
  /** Of no agent that is known: passed over, as everything else that an instrumented program sends. */
  unknown: number;
  /** Why some were rejected; empty when none was. */
  reason: string;
}

export class TelemetryIntake {
  readonly #context: Pick<ServiceContext, 'store' | 'clock'>;
  readonly #reader = new RequestReader();
  readonly #turns = new TurnCollector();
  readonly #judging: JudgeQueue | null;

  /** Without a judge the extractors measure all that they can see; with one they leave it what it is asked for. */
  constructor(context: Pick<ServiceContext, 'store' | 'clock'>, judging: JudgeQueue | null) {
    this.#context = context;
    this.#judging = judging;
  }

  async take({ orgId, signal, encoding, bytes }: ExportRequest): Promise<Taken> {
    const { store, clock } = this.#context;
    const now = clock();
    const over: PassedTurn[] = [];
    const reading = this.#reader.read(bytes, { encoding, signal }, (event, texts) => {
      over.push(...this.#turns.add(orgId, event, texts, now));
    });
    if (!reading) {
      throw new RenownError(
        'invalid_request',
        `The body is no OTLP export request of ${signal} as ${encoding}.`,
      );
    }
    const { table, records, unknown, withoutSession, unsound } = reading;
    if (table.sessions.length > 0) await store.sessions.append(orgId, table);
    for (const { sessionId, ended } of table.sessions) {
      if (ended) over.push(...this.#turns.end(orgId, sessionId));
    }
    await this.#measure(over);
    return {
      records,
      unknown,
      rejected: withoutSession + unsound,
      reason: reasonOf({ withoutSession, unsound }),
    };
  }

  /** Measures turns of which nothing more has come. */
  async sweep(): Promise<void> {
    await this.#measure(this.#turns.quietSince(this.#context.clock() - LIMITS.turnQuietMs));
  }

  /** Turns that are still open are measured before their texts go. */
  async stop(): Promise<void> {
    await this.#measure(this.#turns.quietSince(Number.POSITIVE_INFINITY));
    await this.#judging?.stop();
  }

  async #measure(turns: readonly PassedTurn[]): Promise<void> {
    const except = this.#judging ? JUDGED : [];
    const byOrg = new Map<string, SignalReport[]>();
    for (const { orgId, ...turn } of turns) {
      const report = toReport(turn, extractSignals(turn, { except }));
      if (report) byOrg.set(orgId, [...(byOrg.get(orgId) ?? []), report]);
    }
    for (const [orgId, reports] of byOrg) await this.#context.store.signals.append(orgId, reports);
    for (const turn of turns) this.#judging?.offer(turn);
  }
}

function reasonOf({ withoutSession, unsound }: { withoutSession: number; unsound: number }): string {
  const reasons = [
    ...(withoutSession > 0 ? [`${withoutSession} name no session`] : []),
    ...(unsound > 0 ? [`${unsound} have an id that is too long or a number that is out of range`] : []),
  ];
  return reasons.join(', ');
}
