/**
 * A run as a document, and a note that it is unfinished. The note comes before the run and goes after its end, so that
 * whoever looks for work finds every unfinished run by the notes alone.
 *
 * A run belongs to one node at a time: its lease says to whom and until when. Every write expects the version it has
 * read, so of two nodes that reach for a run one gets it, and a node that was taken for dead notices with its next write.
 */
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { AuditEntry, Store } from '../store/store.ts';
import type { RunPlan } from './run-plan.ts';

export const RUN = 'session_run';
const UNFINISHED = 'session_run_unfinished';

export type RunState = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface RunBody {
  state: RunState;
  plan: RunPlan;
  monitorId: string | null;
  tick: number | null;
  progress: { selected: number | null; evaluated: number; unchanged: number; failed: number; traces: number };
  failures: { session_id: string; code: string }[];
  error: string | null;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  lease: { holder: string; until: number } | null;
}

export interface Run {
  orgId: string;
  runId: string;
  version: number;
  body: RunBody;
}

export async function readRun(store: Store, orgId: string, runId: string): Promise<Run | null> {
  const found = await store.documents.get(orgId, RUN, runId);
  return found && { orgId, runId, version: found.version, body: found.body as RunBody };
}

/** Refused with `conflict` when another write came first. */
export async function writeRun(
  store: Store,
  { orgId, runId, version }: Run,
  { body, at, audit }: { body: RunBody; at: number; audit?: AuditEntry },
): Promise<Run> {
  const write = { kind: RUN, id: runId, body, at, expectedVersion: version };
  const { version: next } = await store.documents.put(orgId, write, audit);
  return { orgId, runId, version: next, body };
}

/** The first of those who create the same run succeeds; the others are refused with `conflict`. */
export async function createRunDocument(
  store: Store,
  {
    orgId,
    runId,
    ...given
  }: { orgId: string; runId: string; plan: RunPlan; at: number } & Pick<RunBody, 'monitorId' | 'tick'>,
): Promise<Run> {
  const { plan, at, monitorId, tick } = given;
  await noteUnfinished(store, { orgId, runId, at });
  const body: RunBody = {
    state: 'pending',
    plan,
    monitorId,
    tick,
    progress: { selected: null, evaluated: 0, unchanged: 0, failed: 0, traces: 0 },
    failures: [],
    error: null,
    createdAt: at,
    startedAt: null,
    finishedAt: null,
    lease: null,
  };
  return writeRun(store, { orgId, runId, version: 0, body }, { body, at });
}

export async function noteUnfinished(
  store: Store,
  { orgId, runId, at }: { orgId: string; runId: string; at: number },
): Promise<void> {
  await store.documents.put(orgId, { kind: UNFINISHED, id: runId, body: null, at });
}

export async function forgetUnfinished(store: Store, orgId: string, runId: string): Promise<void> {
  await store.documents.delete(orgId, UNFINISHED, runId);
}

export async function countUnfinished(store: Store, orgId: string): Promise<number> {
  const { items } = await store.documents.list(orgId, UNFINISHED, { limit: LIMITS.runsWaitingMax });
  return items.length;
}

/** Runs that are not done, oldest first; notes that have outlived their run are cleared away. */
export async function unfinishedRuns(store: Store, orgId: string, now: number): Promise<Run[]> {
  const { items } = await store.documents.list(orgId, UNFINISHED, { limit: LIMITS.pageSizeMax });
  const runs: Run[] = [];
  for (const { id: runId, updatedAt } of items) {
    const run = await readRun(store, orgId, runId);
    if (run && !isFinished(run.body)) runs.push(run);
    // A note without a run may be one whose run is being written this moment.
    else if (run || updatedAt < now - LIMITS.runLeaseMs) await forgetUnfinished(store, orgId, runId);
  }
  return runs;
}

export function isFinished({ state }: RunBody): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

export function unknownRun(): never {
  throw new RenownError('not_found', 'There is no run of that id.');
}
