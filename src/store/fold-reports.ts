import { SIGNALS, type Signal } from '../core/signals.ts';
import { compareIds } from './compare-ids.ts';
import type { SessionTrace, SessionTraces, SignalReport, StoredReport } from './session-port.ts';

interface Folding extends SessionTrace {
  signals: { [signal in Signal]?: number };
  sources: { [signal in Signal]?: string };
}

/** What all reports on a session, in order of arrival, make of it: later values of a signal replace earlier ones. */
export function foldReports(sessionId: string, reports: readonly StoredReport[]): SessionTraces {
  const traces = new Map<string, Folding>();
  const tags = new Set<string>();
  let agentId: string | null = null;
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const report of reports) {
    const trace = traces.get(report.traceId) ?? emptyTrace(report);
    traces.set(report.traceId, trace);
    for (const signal of SIGNALS) {
      const value = report.signals[signal];
      if (value === undefined) continue;
      trace.signals[signal] = value;
      trace.sources[signal] = report.source;
    }
    trace.startedAt = report.startedAt ?? trace.startedAt;
    trace.receivedAt = report.receivedAt;
    if (report.tags.length > 0) {
      trace.tags = sorted([...trace.tags, ...report.tags]);
      for (const tag of report.tags) tags.add(tag);
    }
    agentId = report.agentId ?? agentId;
    lastAt = Math.max(lastAt, report.startedAt ?? report.receivedAt);
  }
  return {
    sessionId,
    agentId,
    tags: sorted(tags),
    revision: reports.length,
    lastAt,
    traces: [...traces.values()],
  };
}

/** Whether a session would look as it does after one more report. */
function changesNothing({ agentId, traces, lastAt }: SessionTraces, report: SignalReport): boolean {
  const trace = traces.find(({ traceId }) => traceId === report.traceId);
  return (
    trace !== undefined &&
    SIGNALS.every((signal) => {
      const value = report.signals[signal];
      return (
        value === undefined || (value === trace.signals[signal] && trace.sources[signal] === report.source)
      );
    }) &&
    (report.agentId === null || report.agentId === agentId) &&
    (report.startedAt === null || (report.startedAt === trace.startedAt && report.startedAt <= lastAt)) &&
    report.tags.every((tag) => trace.tags.includes(tag))
  );
}

/**
 * Whether a report need not be stored: it came before in the same words and would change nothing now. One that knows when
 * it was received is being restored, and is known when the ledger has it from the same moment.
 */
export function isKnownReport(
  earlier: readonly StoredReport[],
  report: SignalReport & { receivedAt?: number },
): boolean {
  const text = reportText(report);
  const same = earlier.filter((one) => reportText(one) === text);
  if (report.receivedAt !== undefined) return same.some(({ receivedAt }) => receivedAt === report.receivedAt);
  return same.length > 0 && changesNothing(foldReports(report.sessionId, earlier), report);
}

/** Reports in their order, by their sessions. */
export function bySession(reports: readonly StoredReport[]): Map<string, StoredReport[]> {
  const groups = new Map<string, StoredReport[]>();
  for (const report of reports) {
    const group = groups.get(report.sessionId);
    if (group) group.push(report);
    else groups.set(report.sessionId, [report]);
  }
  return groups;
}

/** A report in one text: two that say the same come to the same. */
export function reportText({ sessionId, traceId, agentId, signals, startedAt, tags, source }: SignalReport) {
  return JSON.stringify([
    sessionId,
    traceId,
    agentId,
    SIGNALS.map((signal) => signals[signal] ?? null),
    startedAt,
    sorted(tags),
    source,
  ]);
}

function emptyTrace({ traceId, receivedAt }: StoredReport): Folding {
  return { traceId, signals: {}, sources: {}, startedAt: null, tags: [], receivedAt };
}

function sorted(tags: Iterable<string>): string[] {
  return [...new Set(tags)].sort(compareIds);
}
