/**
 * A run as a document, and a note that it is unfinished. The note comes before the run and goes after its end, so that
 * whoever looks for work finds every unfinished run by the notes alone. The sessions that it has chosen and not yet dealt
 * with stand in documents beside it, because there may be a million: whoever takes it up goes on with these.
 *
 * A run belongs to one node at a time: its lease says to whom and until when. Every write expects the version it has
 * read, so of two nodes that reach for a run one gets it, and a node that was taken for dead notices with its next write.
 */
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { AuditEntry, SelectedSession, Store } from '../store/store.ts';
import type { RunPlan } from './run-plan.ts';

export const RUN = 'session_run';
const UNFINISHED = 'session_run_unfinished';
const CHOSEN = 'session_run_chosen';

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
  /** Absent while it has chosen nothing yet, and when nothing is left of what it had chosen. */
  chosen?: Choice | null;
}

/** Where the sessions of a run stand, and what had become of others that it chose when these were written down. */
export interface Choice {
  key: number;
  documents: number;
  settled: Settled;
}

export type Settled = Pick<RunBody['progress'], 'evaluated' | 'unchanged' | 'traces'>;

/** As columns: a name for each field of each session would double it. */
interface ChosenPart {
  session_ids: string[];
  traces: number[];
}

type RunKey = Pick<Run, 'orgId' | 'runId'>;

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

/** Counts for the run when its document says so: until then, and when that write is refused, it is nobody's. */
export async function keepChoice(
  store: Store,
  { orgId, runId, version: key }: Run,
  { sessions, settled, at }: { sessions: readonly SelectedSession[]; settled: Settled; at: number },
): Promise<Choice> {
  const size = LIMITS.runChosenPerDocument;
  const documents = Math.ceil(sessions.length / size);
  for (let i = 0; i < documents; i++) {
    const part = sessions.slice(i * size, (i + 1) * size);
    const body: ChosenPart = {
      session_ids: part.map(({ sessionId }) => sessionId),
      traces: part.map(({ traces }) => traces),
    };
    await store.documents.put(orgId, { kind: CHOSEN, id: partId(runId, key, i), body, at });
  }
  return { key, documents, settled };
}

export async function readChoice(
  store: Store,
  { orgId, runId }: RunKey,
  { key, documents }: Choice,
): Promise<SelectedSession[]> {
  const sessions: SelectedSession[] = [];
  for (let i = 0; i < documents; i++) {
    const found = await store.documents.get(orgId, CHOSEN, partId(runId, key, i));
    if (!found) throw new RenownError('internal', 'Sessions that the run had chosen are missing.');
    const { session_ids, traces } = found.body as ChosenPart;
    for (const [j, sessionId] of session_ids.entries()) sessions.push({ sessionId, traces: traces[j] ?? 0 });
  }
  return sessions;
}

/** One choice of a run, or all of them, those of nodes that died over it included. */
export async function dropChoice(store: Store, { orgId, runId }: RunKey, choice?: Choice): Promise<void> {
  const prefix = choice ? `${runId}.${choice.key}.` : `${runId}.`;
  for (;;) {
    // Bodies come with it, and are large.
    const { items } = await store.documents.list(orgId, CHOSEN, { cursor: prefix, limit: 10 });
    const ours = items.filter(({ id }) => id.startsWith(prefix));
    if (ours.length === 0) return;
    for (const { id } of ours) await store.documents.delete(orgId, CHOSEN, id);
  }
}

/** No two nodes write the same: of each version of a run one node knows that it wrote it. */
function partId(runId: string, key: number, part: number): string {
  return `${runId}.${key}.${part}`;
}

export function isFinished({ state }: RunBody): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

export function hasNothingLeft({ state, progress }: RunBody): boolean {
  return state === 'completed' && progress.failed === 0;
}

export function unknownRun(): never {
  throw new RenownError('not_found', 'There is no run of that id.');
}
