/** Monitors: a run on a cadence. What happens at its moments is the scheduler's; here it is made, changed and looked at. */
import { toPageRequest, toPageWire, toTime, toTimeOrNull } from '../core/contract/fields.ts';
import type { MonitorChange, MonitorRequest } from '../core/contract/session-run.ts';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Document, Store } from '../store/store.ts';
import { readMonitorWatch } from './alerts/monitor-watch.ts';
import { auditEntry } from './audit-entry.ts';
import { parseCadence } from './cadence.ts';
import type { Caller, ServiceContext } from './context.ts';
import { createRunDocument } from './run-document.ts';
import { type RunPlan, toRunPlan } from './run-plan.ts';
import { listRuns, toPlanWire, toRunWire } from './session-runs.ts';

export const MONITOR = 'session_monitor';

export interface MonitorBody {
  name: string;
  cadence: string;
  state: 'active' | 'paused';
  plan: RunPlan;
  /** Moments count that come after this: since it was made, resumed or given another cadence. */
  since: number;
  lastTick: number | null;
  lastRunId: string | null;
  /** Moments up to this were counted, and are few enough to be caught up: it is not done again for each of them. */
  countedUntil?: number;
  createdAt: number;
}

/** Its moments after this are still to come, or to be caught up. */
export function lastLookedAt({ since, lastTick }: MonitorBody): number {
  return Math.max(since, lastTick ?? since);
}

type MonitorContext = Pick<ServiceContext, 'store' | 'clock' | 'newId' | 'runBell'>;

export async function createMonitor(context: MonitorContext, caller: Caller, request: MonitorRequest) {
  const { store, clock, newId } = context;
  const { name, cadence, ...rest } = request;
  parseCadence(cadence);
  const { items } = await store.documents.list(caller.orgId, MONITOR, { limit: LIMITS.monitorsMax });
  if (items.length >= LIMITS.monitorsMax) {
    throw new RenownError('conflict', `An org has at most ${LIMITS.monitorsMax} monitors. Delete one first.`);
  }
  const now = clock();
  const body: MonitorBody = {
    name,
    cadence,
    state: 'active',
    plan: toRunPlan(rest),
    since: now,
    lastTick: null,
    lastRunId: null,
    createdAt: now,
  };
  const id = newId();
  const audit = auditEntry(context, caller, { action: 'session_monitor.create', target: id });
  const write = { kind: MONITOR, id, body, at: now, expectedVersion: 0 };
  return toMonitorWire(await store.documents.put(caller.orgId, write, audit));
}

export async function listMonitors(
  { store }: MonitorContext,
  { orgId }: Caller,
  query: Parameters<typeof toPageRequest>[0],
) {
  return toPageWire(await store.documents.list(orgId, MONITOR, toPageRequest(query)), toMonitorWire);
}

export async function readMonitor({ store }: MonitorContext, { orgId }: Caller, monitorId: string) {
  const monitor = await findMonitor(store, orgId, monitorId);
  return { ...toMonitorWire(monitor), detectors: await readMonitorWatch(store, orgId, monitorId) };
}

/** What the change names replaces what was; `session_ids` and `filter` replace each other. */
export async function changeMonitor(
  context: MonitorContext,
  caller: Caller,
  { monitorId, name, cadence, ...plan }: MonitorChange & { monitorId: string },
) {
  if (cadence !== undefined) parseCadence(cadence);
  return writeMonitor(context, caller, { monitorId, action: 'session_monitor.change' }, (body) => ({
    ...body,
    ...(name !== undefined && { name }),
    // Moments of the old cadence that were missed are not caught up by the new one.
    ...(cadence !== undefined && cadence !== body.cadence && { cadence, since: context.clock() }),
    plan: changePlan(body.plan, plan),
  }));
}

export function pauseMonitor(context: MonitorContext, caller: Caller, monitorId: string) {
  return writeMonitor(context, caller, { monitorId, action: 'session_monitor.pause' }, (body) => ({
    ...body,
    state: 'paused' as const,
  }));
}

/** What it missed while it was paused was meant to be missed, and so is what it had not caught up by then. */
export function resumeMonitor(context: MonitorContext, caller: Caller, monitorId: string) {
  return writeMonitor(context, caller, { monitorId, action: 'session_monitor.resume' }, (body) =>
    body.state === 'active' ? body : { ...body, state: 'active' as const, since: context.clock() },
  );
}

/** A run of it now, whatever its cadence and whether or not it is paused. */
export async function triggerMonitor(
  { store, clock, newId, runBell }: MonitorContext,
  { orgId }: Caller,
  monitorId: string,
) {
  const { plan } = (await findMonitor(store, orgId, monitorId)).body as MonitorBody;
  const run = await createRunDocument(store, {
    orgId,
    runId: newId(),
    plan,
    at: clock(),
    monitorId,
    tick: null,
  });
  runBell.ring();
  return toRunWire(run);
}

/** Its runs and their scores stay. */
export async function deleteMonitor(context: MonitorContext, caller: Caller, monitorId: string) {
  const audit = auditEntry(context, caller, { action: 'session_monitor.delete', target: monitorId });
  if (!(await context.store.documents.delete(caller.orgId, MONITOR, monitorId, audit)))
    return unknownMonitor();
  return { deleted: true as const };
}

export async function listMonitorRuns(
  context: MonitorContext,
  caller: Caller,
  { monitorId, ...query }: Parameters<typeof listRuns>[2] & { monitorId: string },
) {
  await findMonitor(context.store, caller.orgId, monitorId);
  return listRuns(context, caller, { ...query, monitorId });
}

async function writeMonitor(
  context: MonitorContext,
  caller: Caller,
  { monitorId, action }: { monitorId: string; action: string },
  change: (body: MonitorBody) => MonitorBody,
) {
  const { store, clock } = context;
  const found = await findMonitor(store, caller.orgId, monitorId);
  const write = {
    kind: MONITOR,
    id: monitorId,
    body: change(found.body as MonitorBody),
    at: clock(),
    expectedVersion: found.version,
  };
  const audit = auditEntry(context, caller, { action, target: monitorId });
  return toMonitorWire(await store.documents.put(caller.orgId, write, audit));
}

function changePlan(plan: RunPlan, change: Parameters<typeof toRunPlan>[0]): RunPlan {
  const isNamed = change.session_ids !== undefined || change.filter !== undefined;
  const { session_ids, filter } = isNamed ? change : plan;
  return toRunPlan({
    session_ids: session_ids ?? undefined,
    filter: filter ?? undefined,
    metrics: change.metrics ?? plan.metrics,
    signal_weights: change.signal_weights ?? plan.signal_weights,
    thresholds: { ...plan.thresholds, ...change.thresholds },
    sampling: change.sampling === undefined ? plan.sampling : change.sampling,
    only_if_changed: change.only_if_changed ?? plan.only_if_changed,
  });
}

async function findMonitor(store: Store, orgId: string, monitorId: string): Promise<Document> {
  return (await store.documents.get(orgId, MONITOR, monitorId)) ?? unknownMonitor();
}

function toMonitorWire({ id, body: stored }: Document) {
  const body = stored as MonitorBody;
  return {
    monitor_id: id,
    name: body.name,
    cadence: body.cadence,
    state: body.state,
    plan: toPlanWire(body.plan),
    next_tick: body.state === 'paused' ? null : toTime(parseCadence(body.cadence).next(lastLookedAt(body))),
    last_tick: toTimeOrNull(body.lastTick),
    last_run_id: body.lastRunId,
    created_at: toTime(body.createdAt),
  };
}

function unknownMonitor(): never {
  throw new RenownError('not_found', 'There is no monitor of that id.');
}
