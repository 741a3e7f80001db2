/** What was measured of a turn, as a report for the ledger. */
import { isSignalValue } from '../core/signals.ts';
import type { SignalReport } from '../store/store.ts';
import type { Extracted } from '../telemetry/signals/extract-signals.ts';

/** Which turn it was, and whose. */
export type TurnPlace = Pick<SignalReport, 'sessionId' | 'traceId' | 'agentId' | 'startedAt'>;

/** Null when nothing of it is a signal. One value that is none would keep its whole session from ever being scored. */
export function toReport(
  { sessionId, traceId, agentId, startedAt }: TurnPlace,
  { signals, source }: Extracted,
): SignalReport | null {
  const sound = Object.entries(signals).filter(([, value]) => isSignalValue(value));
  if (sound.length === 0) return null;
  return { sessionId, traceId, agentId, signals: Object.fromEntries(sound), startedAt, tags: [], source };
}
