import { toVerdictWire } from '../../src/core/contract/verdict.ts';
import { type JudgeRequest, judgeSessions } from '../../src/service/judge-sessions.ts';
import { SessionTable } from '../../src/telemetry/session-table.ts';
import { TelemetryReader } from '../../src/telemetry/telemetry-reader.ts';
import { lines } from './otlp.ts';

/** Reads lines of telemetry as a file would be read; returns the table and what could not be used. */
export function read(text: string) {
  const table = new SessionTable();
  const reader = new TelemetryReader(table);
  for (const line of text.split('\n').filter(Boolean)) {
    const bytes = Buffer.from(line);
    if (!reader.readLine(bytes, 0, bytes.length)) reader.reading.brokenLines++;
  }
  return { table, reading: reader.reading };
}

/** All verdicts on all sessions, in the order in which they began. */
export function judgeText(text: string, request: Partial<JudgeRequest> = {}) {
  return judgeSessions(read(text).table, { which: 'all', ...request }).map(toVerdictWire);
}

/** The only verdict on batches of telemetry. */
export function judgeBatches(batches: readonly object[], request: Partial<JudgeRequest> = {}) {
  const verdicts = judgeText(lines(batches), request);
  const [verdict] = verdicts;
  if (!verdict || verdicts.length > 1) throw new Error(`${verdicts.length} verdicts where one was expected`);
  return verdict;
}
