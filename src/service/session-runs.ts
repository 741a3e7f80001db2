/** Runs: asked for, looked at, tried again, called off and deleted. Carrying them out is the scheduler's. */
import { toPageRequest, toTime, toTimeOrNull } from '../core/contract/fields.ts';
import type { RunRequest } from '../core/contract/session-run.ts';
import { isConflict, RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Store } from '../store/store.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';
import {
  countUnfinished,
  createRunDocument,
  dropChoice,
  forgetUnfinished,
  hasNothingLeft,
  isFinished,
  noteUnfinished,
  RUN,
  type Run,
  type RunBody,
  type RunState,
  readRun,
  unknownRun,
  writeRun,
} from './run-document.ts';
import { type RunPlan, selectSessions, toRunPlan } from './run-plan.ts';

type RunContext = Pick<ServiceContext, 'store' | 'clock' | 'newId' | 'runBell'>;

export async function createRun(context: RunContext, { orgId }: Caller, request: RunRequest) {
  const { store, clock, newId } = context;
  const plan = toRunPlan(request);
  await refuseTooMany(store, orgId);
  const run = await createRunDocument(store, {
    orgId,
    runId: newId(),
    plan,
    at: clock(),
    monitorId: null,
    tick: null,
  });
  context.runBell.ring();
  return toRunWire(run);
}

/** What a run would cover, asked of the ledger as it is now. */
export async function tryRun({ store, clock }: RunContext, { orgId }: Caller, request: RunRequest) {
  const plan = toRunPlan(request);
  const { sessions, matching } = await selectSessions(store, orgId, {
    plan,
    moment: { at: clock(), tick: null },
  });
  const traces = sessions.reduce((sum, session) => sum + session.traces, 0);
  return { dry_run: true as const, plan: toPlanWire(plan), sessions: sessions.length, traces, matching };
}

interface RunQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
  state?: RunState | undefined;
  monitorId?: string;
}

/** Newest first. */
export async function listRuns(
  { store }: RunContext,
  { orgId }: Caller,
  { state, monitorId, ...query }: RunQuery,
) {
  const { cursor, limit } = toPageRequest(query);
  const items: Run[] = [];
  let next: string | null = cursor;
  do {
    const page = await store.documents.list(orgId, RUN, { cursor: next, limit, descending: true });
    for (const { id: runId, version, body } of page.items) {
      const run = { orgId, runId, version, body: body as RunBody };
      next = runId;
      if (state !== undefined && run.body.state !== state) continue;
      if (monitorId !== undefined && run.body.monitorId !== monitorId) continue;
      items.push(run);
      if (items.length === limit) break;
    }
    const isLast = page.nextCursor === null && next === (page.items.at(-1)?.id ?? next);
    if (isLast) next = null;
  } while (next !== null && items.length < limit);
  return { items: items.map(toRunWire), next_cursor: next };
}

export async function readRunWire({ store }: RunContext, { orgId }: Caller, runId: string) {
  return toRunWire((await readRun(store, orgId, runId)) ?? unknownRun());
}

/**
 * Goes on with what failed or was not reached of the sessions that the run had chosen. A run that is under way is left to
 * itself, and one that has dealt with all of them stays as it is.
 */
export async function retryRun(context: RunContext, caller: Caller, runId: string) {
  const { store, clock } = context;
  const changed = await changeRun(context, { orgId: caller.orgId, runId }, async (run) => {
    if (!isFinished(run.body) || hasNothingLeft(run.body)) return null;
    await noteUnfinished(store, { orgId: caller.orgId, runId, at: clock() });
    return { ...run.body, state: 'pending', error: null, failures: [], finishedAt: null, lease: null };
  });
  context.runBell.ring();
  return toRunWire(changed);
}

/** Whoever carries it out notices with its next word on progress. What was scored stays. Cancelling again changes nothing. */
export async function cancelRun(context: RunContext, { orgId }: Caller, runId: string) {
  const { store, clock } = context;
  const changed = await changeRun(context, { orgId, runId }, async (run) =>
    isFinished(run.body) ? null : { ...run.body, state: 'cancelled', finishedAt: clock(), lease: null },
  );
  await forgetUnfinished(store, orgId, runId);
  return toRunWire(changed);
}

/** With all its scores. A run that is under way ends with it. */
export async function deleteRun(context: RunContext, caller: Caller, runId: string) {
  const { store } = context;
  const entry = auditEntry(context, caller, { action: 'session_run.delete', target: runId });
  if (!(await store.documents.delete(caller.orgId, RUN, runId, entry))) return unknownRun();
  await forgetUnfinished(store, caller.orgId, runId);
  await store.sessionScores.removeRun(caller.orgId, runId);
  await dropChoice(store, { orgId: caller.orgId, runId });
  return { deleted: true as const };
}

/** Tries again when a word on progress came in between; null from `change` leaves the run as it is. */
async function changeRun(
  { store, clock }: RunContext,
  { orgId, runId }: { orgId: string; runId: string },
  change: (run: Run) => Promise<RunBody | null>,
): Promise<Run> {
  for (;;) {
    const run = (await readRun(store, orgId, runId)) ?? unknownRun();
    const body = await change(run);
    if (body === null) return run;
    try {
      return await writeRun(store, run, { body, at: clock() });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

export function toRunWire({ runId, body }: Run) {
  return {
    run_id: runId,
    state: body.state,
    monitor_id: body.monitorId,
    tick: toTimeOrNull(body.tick),
    plan: toPlanWire(body.plan),
    progress: body.progress,
    failures: body.failures,
    error: body.error,
    created_at: toTime(body.createdAt),
    started_at: toTimeOrNull(body.startedAt),
    finished_at: toTimeOrNull(body.finishedAt),
  };
}

/** Times of a filter as they are everywhere else on the wire. */
export function toPlanWire({ filter, ...plan }: RunPlan) {
  if (filter === null) return { ...plan, filter };
  const { from, to, ...rest } = filter;
  return {
    ...plan,
    filter: {
      ...rest,
      ...(from !== undefined && { from: toTime(from) }),
      ...(to !== undefined && { to: toTime(to) }),
    },
  };
}

/** Every look for work reads what waits; and whoever asks for so many is better told to wait. */
async function refuseTooMany(store: Store, orgId: string): Promise<void> {
  if ((await countUnfinished(store, orgId)) < LIMITS.runsWaitingMax) return;
  throw new RenownError(
    'rate_limited',
    `${LIMITS.runsWaitingMax} runs of this org wait or are under way. Let some of them end first.`,
  );
}
