/** What a run covers and how it judges: a request made complete, so that it means the same whenever it is carried out. */
import type { RunRequest } from '../core/contract/session-run.ts';
import { RenownError } from '../core/errors.ts';
import { Issues } from '../core/issues.ts';
import { LIMITS } from '../core/limits.ts';
import { SESSION_METRICS, type SessionMetric, THRESHOLD_DEFAULT } from '../core/session-metric.ts';
import { type SignalWeights, toSignalWeights } from '../core/signals.ts';
import { isSampled } from '../core/stats/sample.ts';
import type { SelectedSession, SessionFilter, Store } from '../store/store.ts';

/** As it stands in a document and on the wire. */
export interface RunPlan {
  session_ids: string[] | null;
  filter: NonNullable<RunRequest['filter']> | null;
  metrics: SessionMetric[];
  signal_weights: SignalWeights;
  thresholds: Record<SessionMetric, number>;
  sampling: { rate: number; seed: number } | null;
  only_if_changed: boolean;
}

type PlanRequest = Omit<RunRequest, 'dry_run'>;

export function toRunPlan(request: PlanRequest): RunPlan {
  if ((request.session_ids === undefined) === (request.filter === undefined)) {
    throw new RenownError(
      'invalid_request',
      'Say which sessions: by session_ids, or by filter, which may be empty for all of them.',
      { details: [{ path: 'session_ids', message: 'or filter must be given, and not both' }] },
    );
  }
  const { from, to } = request.filter ?? {};
  const issues = new Issues();
  if (from !== undefined && to !== undefined && from >= to)
    issues.add('filter.from', 'must be before filter.to');
  for (const [metric, threshold] of Object.entries(request.thresholds ?? {})) {
    if (threshold !== undefined) issues.number(threshold, `thresholds.${metric}`, { min: 0, max: 1 });
  }
  issues.throwIfAny();
  return {
    session_ids: request.session_ids ? [...new Set(request.session_ids)] : null,
    filter: request.filter ?? null,
    metrics: SESSION_METRICS.filter((metric) => request.metrics?.includes(metric) ?? true),
    signal_weights: toSignalWeights(request.signal_weights as Partial<SignalWeights> | null | undefined),
    thresholds: {
      agent_reliability: request.thresholds?.agent_reliability ?? THRESHOLD_DEFAULT,
      agent_consistency: request.thresholds?.agent_consistency ?? THRESHOLD_DEFAULT,
    },
    sampling: request.sampling ? { rate: request.sampling.rate, seed: request.sampling.seed ?? 0 } : null,
    only_if_changed: request.only_if_changed ?? false,
  };
}

export interface Selection {
  sessions: SelectedSession[];
  /** How many there were before sampling. */
  matching: number;
}

/** From when the hours of a plan are counted back: when it was asked for, or the moment of a monitor that it belongs to. */
export interface RunMoment {
  at: number;
  tick: number | null;
}

/**
 * The sessions of a plan, in the order of their ids. One that is named and that nobody has reported on is covered too:
 * its scores say that nothing was seen.
 */
export async function selectSessions(
  store: Store,
  orgId: string,
  { plan, moment }: { plan: RunPlan; moment: RunMoment },
): Promise<Selection> {
  const named = plan.session_ids;
  const filter = named ? { sessionIds: named } : toFilter(plan, moment);
  const found = await store.signals.select(orgId, filter, LIMITS.runSessionsMax + 1);
  if (found.length > LIMITS.runSessionsMax) {
    throw new RenownError(
      'invalid_request',
      `More than ${LIMITS.runSessionsMax} sessions fit the filter. Narrow it, or make several runs.`,
    );
  }
  const known = new Map(found.map((session) => [session.sessionId, session]));
  const matching = named ? named.map((sessionId) => known.get(sessionId) ?? { sessionId, traces: 0 }) : found;
  const { sampling } = plan;
  const sessions = sampling ? matching.filter(({ sessionId }) => isSampled(sessionId, sampling)) : matching;
  return { sessions, matching: matching.length };
}

function toFilter({ filter }: RunPlan, { at, tick }: RunMoment): SessionFilter {
  const {
    from,
    to,
    within_hours: hours,
    agent_id: agentId,
    tags,
    has_errors: hasErrors,
    min_traces,
  } = filter ?? {};
  const since = Math.max(
    from ?? Number.NEGATIVE_INFINITY,
    hours === undefined ? Number.NEGATIVE_INFINITY : (tick ?? at) - hours * 3_600_000,
  );
  // The hours of one moment end where those of the next begin, however late either is looked at.
  const until = to ?? (hours === undefined ? null : tick);
  return {
    ...(Number.isFinite(since) && { from: since }),
    ...(until !== null && { to: until }),
    ...(agentId !== undefined && { agentId }),
    ...(tags !== undefined && { tags }),
    ...(hasErrors !== undefined && { hasErrors }),
    ...(min_traces !== undefined && { tracesMin: min_traces }),
  };
}
