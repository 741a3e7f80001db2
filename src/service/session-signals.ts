/** What others have measured of the traces of sessions: taken in, and shown. */
import { toPageRequest, toPageWire, toTime, toTimeOrNull } from '../core/contract/fields.ts';
import type { SignalTrace } from '../core/contract/signal.ts';
import { RenownError } from '../core/errors.ts';
import { Issues } from '../core/issues.ts';
import { checkSignals, SIGNALS, type Signal } from '../core/signals.ts';
import type { SessionTraces, SignalReport, StoredReport } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';

const SOURCE_DEFAULT = 'api';

/** One bad trace refuses all of them. */
export async function appendSignals(
  { store }: Pick<ServiceContext, 'store'>,
  { orgId }: Caller,
  traces: readonly SignalTrace[],
) {
  checkTraces(traces);
  return store.signals.append(orgId, traces.map(toReport));
}

export async function readTraces({ store }: ServiceContext, { orgId }: Caller, sessionId: string) {
  const session = (await store.signals.read(orgId, [sessionId])).get(sessionId);
  if (!session) throw new RenownError('not_found', 'Nobody has reported signals of a session of that id.');
  return toSessionWire(session);
}

/** Every report, newest first, also those whose values were replaced since. */
export async function listReports(
  { store }: ServiceContext,
  { orgId }: Caller,
  { sessionId, ...query }: { sessionId: string; cursor?: string | undefined; limit?: number | undefined },
) {
  return toPageWire(await store.signals.history(orgId, sessionId, toPageRequest(query)), toReportWire);
}

function checkTraces(traces: readonly SignalTrace[]): void {
  const issues = new Issues();
  const seen = new Set<string>();
  traces.forEach(({ session_id, trace_id, signals }, i) => {
    const key = `${session_id}\n${trace_id}`;
    if (seen.has(key)) issues.add(`traces[${i}].trace_id`, 'stands twice for this session in this request');
    seen.add(key);
    checkSignals(signals, i, issues);
  });
  issues.throwIfAny();
}

function toReport(trace: SignalTrace): SignalReport {
  const signals: { [signal in Signal]?: number } = {};
  for (const signal of SIGNALS) {
    const value = trace.signals[signal];
    if (typeof value === 'number') signals[signal] = value;
  }
  return {
    sessionId: trace.session_id,
    traceId: trace.trace_id,
    agentId: trace.agent_id ?? null,
    signals,
    startedAt: trace.started_at ?? null,
    tags: [...new Set(trace.tags ?? [])],
    source: trace.source ?? SOURCE_DEFAULT,
  };
}

function toSessionWire({ sessionId, agentId, tags, revision, lastAt, traces }: SessionTraces) {
  return {
    session_id: sessionId,
    agent_id: agentId,
    tags,
    revision,
    last_at: toTime(lastAt),
    traces: traces.map(({ traceId, startedAt, receivedAt, ...same }) => ({
      trace_id: traceId,
      ...same,
      started_at: toTimeOrNull(startedAt),
      received_at: toTime(receivedAt),
    })),
  };
}

function toReportWire({ sessionId, traceId, agentId, startedAt, receivedAt, ...same }: StoredReport) {
  return {
    session_id: sessionId,
    trace_id: traceId,
    agent_id: agentId,
    ...same,
    started_at: toTimeOrNull(startedAt),
    received_at: toTime(receivedAt),
  };
}
