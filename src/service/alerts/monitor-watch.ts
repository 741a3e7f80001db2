/**
 * Watches the runs of a monitor: one that failed is told, and a change detector beside each metric says when the sessions
 * got worse. A session counts once, in the order of time, however many runs have scored it, and only with evidence.
 */
import { toTime } from '../../core/contract/fields.ts';
import { isConflict } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { SessionMetric } from '../../core/session-metric.ts';
import { createDetector } from '../../core/stats/change-detector.ts';
import type { Store, StoredSessionScore } from '../../store/store.ts';
import type { ServiceContext } from '../context.ts';
import type { Run } from '../run-document.ts';
import { type AlertLog, raiseAlert } from './alerts.ts';
import { monitorAlert } from './change-alert.ts';
import { beginWatch, type Change, type ChangeWatch, rateSince, takeVerdict } from './change-watch.ts';

/** Where what is known of a monitor stands among the documents of an org. */
const WATCH = 'monitor_watch';

interface Watched extends ChangeWatch {
  /** The time of the newest session in it; null before the first. */
  seenUntil: number | null;
}

type WatchBody = Partial<Record<SessionMetric, Watched>>;

/** To be called when a run has ended, by the node that carried it out. */
export async function watchMonitorRun(context: ServiceContext, run: Run, log: AlertLog): Promise<void> {
  const { monitorId, state, error, progress } = run.body;
  if (monitorId === null || state === 'cancelled') return;
  if (state === 'failed') {
    const why = error ?? `none of ${progress.failed} sessions could be scored`;
    const message = `A run of the monitor ${monitorId} failed: ${why}.`;
    const data = { run_id: run.runId, failed: progress.failed };
    await raiseAlert(context, run.orgId, {
      log,
      alert: { kind: 'monitor_failed', subject: monitorId, message, data },
    });
    return;
  }
  for (const told of await takeIn(context, run, monitorId)) {
    await raiseAlert(context, run.orgId, { log, alert: monitorAlert(monitorId, told) });
  }
}

/** What the detectors of a monitor know. */
export async function readMonitorWatch(store: Store, orgId: string, monitorId: string) {
  const body = ((await store.documents.get(orgId, WATCH, monitorId))?.body ?? {}) as WatchBody;
  return Object.entries(body).map(([metric, { state, total, change }]) => ({
    metric: metric as SessionMetric,
    sessions: total,
    baseline_pass_rate: state.baseline,
    change: change && {
      detected_at: toTime(change.detectedAt),
      since: toTime(change.sinceAt),
      sessions_since: change.verdicts,
      rate_since: rateSince(change),
      e_value: change.alarm.eValue,
    },
  }));
}

interface MetricChange {
  metric: SessionMetric;
  change: Change;
}

async function takeIn(context: ServiceContext, run: Run, monitorId: string): Promise<MetricChange[]> {
  const { store, clock, settings } = context;
  const { orgId } = run;
  const { baseline_pass_rate: declared } = await settings.read(orgId);
  const stored = await store.documents.get(orgId, WATCH, monitorId);
  const body: WatchBody = structuredClone((stored?.body ?? {}) as WatchBody);
  const changes: MetricChange[] = [];
  for (const metric of run.body.plan.metrics) {
    const begun = beginWatch(createDetector(declared), declared);
    const watched = body[metric] ?? { ...begun, seenUntil: null };
    body[metric] = watched;
    // The org has declared another baseline since.
    if (watched.declared !== declared) {
      const { total, change } = watched;
      Object.assign(watched, begun, { total, change });
    }
    const since = watched.seenUntil;
    for (const { passed, sessionAt } of await scoresOf(store, run, metric)) {
      if (since !== null && sessionAt <= since) continue;
      watched.seenUntil = sessionAt;
      const change = takeVerdict(watched, { passed, at: sessionAt });
      if (change) changes.push({ metric, change });
    }
  }
  try {
    const write = { kind: WATCH, id: monitorId, body, at: clock(), expectedVersion: stored?.version ?? 0 };
    await store.documents.put(orgId, write);
    return changes;
  } catch (error) {
    // Another run of the same monitor was taken in meanwhile; this one is looked at again on top of it.
    if (isConflict(error)) return takeIn(context, run, monitorId);
    throw error;
  }
}

/** The scores of a run by one metric that say something, oldest session first. */
async function scoresOf(
  store: Store,
  { orgId, runId }: Run,
  metric: SessionMetric,
): Promise<{ passed: boolean; sessionAt: number }[]> {
  const scores: { passed: boolean; sessionAt: number }[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.sessionScores.list(
      orgId,
      { runId, metric },
      { limit: LIMITS.streamPageMax, ...(cursor !== undefined && { cursor }) },
    );
    scores.push(...page.items.flatMap(toVerdict));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return scores.sort((a, b) => a.sessionAt - b.sessionAt);
}

function toVerdict({ passed, sessionAt }: StoredSessionScore) {
  return passed === null ? [] : [{ passed, sessionAt }];
}
