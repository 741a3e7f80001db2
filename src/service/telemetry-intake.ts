/**
 * What exporters send, on its way into the ledger: decoded, looked at while it passes by, and stored as metadata. The
 * answer comes after the commit. Sent again, all of it changes nothing.
 */
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { isSignalValue } from '../core/signals.ts';
import type { SignalReport } from '../store/store.ts';
import type { OtlpSignal } from '../telemetry/otlp/protobuf.ts';
import { type OtlpEncoding, RequestReader } from '../telemetry/request-reader.ts';
import { type Extracted, extractSignals } from '../telemetry/signals/extract-signals.ts';
import { type PassedTurn, TurnCollector } from '../telemetry/signals/turn-collector.ts';
import type { ServiceContext } from './context.ts';

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

  constructor(context: Pick<ServiceContext, 'store' | 'clock'>) {
    this.#context = context;
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

  /** Measures turns of which nothing more has come; all of them when the server stops. */
  async sweep({ all = false } = {}): Promise<void> {
    const since = all ? Number.POSITIVE_INFINITY : this.#context.clock() - LIMITS.turnQuietMs;
    await this.#measure(this.#turns.quietSince(since));
  }

  async #measure(turns: readonly PassedTurn[]): Promise<void> {
    const byOrg = new Map<string, SignalReport[]>();
    for (const { orgId, ...turn } of turns) {
      const report = toReport(turn, extractSignals(turn));
      if (report) byOrg.set(orgId, [...(byOrg.get(orgId) ?? []), report]);
    }
    for (const [orgId, reports] of byOrg) await this.#context.store.signals.append(orgId, reports);
  }
}

/** Null when nothing of it is a signal. One value that is none would keep its whole session from ever being scored. */
export function toReport(
  { sessionId, traceId, agentId, startedAt }: Omit<PassedTurn, 'orgId'>,
  { signals, source }: Extracted,
): SignalReport | null {
  const sound = Object.entries(signals).filter(([, value]) => isSignalValue(value));
  if (sound.length === 0) return null;
  return { sessionId, traceId, agentId, signals: Object.fromEntries(sound), startedAt, tags: [], source };
}

function reasonOf({ withoutSession, unsound }: { withoutSession: number; unsound: number }): string {
  const reasons = [
    ...(withoutSession > 0 ? [`${withoutSession} name no session`] : []),
    ...(unsound > 0 ? [`${unsound} have an id that is too long or a number that is out of range`] : []),
  ];
  return reasons.join(', ');
}
