/**
 * Carries a run out: chooses the sessions, scores them a hundred at a time, and says how far it is. What it has scored is
 * in the ledger before it says so, and a run that is taken up again, by this node or another, goes on where it was:
 * sessions that it has scored already are passed over.
 */
import { isConflict, toRenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { SelectedSession, Store, StoredSessionScore } from '../store/store.ts';
import { forgetUnfinished, isFinished, type Run, type RunBody, readRun, writeRun } from './run-document.ts';
import { type RunPlan, selectSessions } from './run-plan.ts';
import { scoreSession } from './score-session.ts';

export interface RunNode {
  store: Store;
  clock: () => number;
  /** Who this is among the nodes. */
  holder: string;
}

interface CarryOut {
  /** Aborted when the node stops: the run is put down where it is, for whoever comes next. */
  stopping: AbortSignal;
  onProgress?(body: RunBody): void;
}

/** Answers with the run as it was left: finished, put down, or taken over by somebody else. */
export async function carryOutRun(
  node: RunNode,
  taken: Run,
  { stopping, onProgress }: CarryOut,
): Promise<Run> {
  const { store, clock } = node;
  let run = taken;
  let savedAt = clock();
  const save = async (change: Partial<RunBody>): Promise<void> => {
    run = await writeRun(store, run, { body: { ...run.body, ...change }, at: clock() });
    savedAt = clock();
    onProgress?.(run.body);
  };
  try {
    const { plan, createdAt: at, tick } = run.body;
    const selection = await selectSessions(store, run.orgId, { plan, moment: { at, tick } });
    const scored = await store.sessionScores.scoredBy(run.orgId, run.runId);
    const sessions = await withScored(store, run.orgId, { ...selection, scored });
    const left = sessions.filter(({ sessionId }) => !scored.has(sessionId));
    const progress = progressOf(sessions, scored);
    const failures: RunBody['failures'] = [];
    for (let i = 0; i < left.length; i += LIMITS.runBatchSessions) {
      if (stopping.aborted) {
        await save({ progress: { ...progress }, lease: null });
        return run;
      }
      if (i === 0 || clock() - savedAt >= LIMITS.runProgressMs) {
        await save({ progress: { ...progress }, lease: leaseOf(node) });
      }
      const batch = left.slice(i, i + LIMITS.runBatchSessions);
      const outcome = await scoreBatch(node, run, batch);
      progress.evaluated += outcome.evaluated;
      progress.unchanged += outcome.unchanged;
      progress.traces += outcome.traces;
      progress.failed += outcome.failures.length;
      failures.push(...outcome.failures.slice(0, LIMITS.runFailuresListedMax - failures.length));
    }
    const state = progress.failed > 0 && progress.evaluated === 0 ? 'failed' : 'completed';
    await save({ state, progress, failures, finishedAt: clock(), lease: null });
  } catch (error) {
    const current = await settle(node, run, error);
    // It was deleted, and so goes what this node has scored since.
    if (current === null) await store.sessionScores.removeRun(run.orgId, run.runId);
    run = current ?? { ...run, body: { ...run.body, state: 'cancelled' } };
  }
  if (isFinished(run.body)) await forgetUnfinished(store, run.orgId, run.runId);
  return run;
}

export function leaseOf({ holder, clock }: RunNode): RunBody['lease'] {
  return { holder, until: clock() + LIMITS.runLeaseMs };
}

/** A run that is taken up again still covers what it has scored, though the filter may not find all of it any more. */
async function withScored(
  store: Store,
  orgId: string,
  { sessions, scored }: { sessions: readonly SelectedSession[]; scored: ReadonlySet<string> },
): Promise<readonly SelectedSession[]> {
  const missing = new Set(scored);
  for (const { sessionId } of sessions) missing.delete(sessionId);
  if (missing.size === 0) return sessions;
  const sessionIds = [...missing];
  const known = await store.signals.select(orgId, { sessionIds }, sessionIds.length);
  const traces = new Map(known.map((session) => [session.sessionId, session.traces]));
  return [...sessions, ...sessionIds.map((sessionId) => ({ sessionId, traces: traces.get(sessionId) ?? 0 }))];
}

/** Where a run stands that has scored these already. */
function progressOf(sessions: readonly SelectedSession[], scored: ReadonlySet<string>): RunBody['progress'] {
  let traces = 0;
  for (const session of sessions) if (scored.has(session.sessionId)) traces += session.traces;
  return { selected: sessions.length, evaluated: scored.size, unchanged: 0, failed: 0, traces };
}

interface Outcome {
  evaluated: number;
  unchanged: number;
  traces: number;
  failures: RunBody['failures'];
}

/** When a batch fails, its sessions are tried one by one, so that one that cannot be read does not take others with it. */
async function scoreBatch(node: RunNode, run: Run, batch: readonly SelectedSession[]): Promise<Outcome> {
  try {
    return await scoreAll(node, run, batch);
  } catch (error) {
    const [only, second] = batch;
    if (only && !second) {
      const { code } = toRenownError(error);
      return { evaluated: 0, unchanged: 0, traces: 0, failures: [{ session_id: only.sessionId, code }] };
    }
  }
  const sum: Outcome = { evaluated: 0, unchanged: 0, traces: 0, failures: [] };
  for (const session of batch) {
    const one = await scoreBatch(node, run, [session]);
    sum.evaluated += one.evaluated;
    sum.unchanged += one.unchanged;
    sum.traces += one.traces;
    sum.failures.push(...one.failures);
  }
  return sum;
}

async function scoreAll(
  { store, clock }: RunNode,
  { orgId, runId, body: { plan } }: Run,
  batch: readonly SelectedSession[],
): Promise<Outcome> {
  const ids = batch.map(({ sessionId }) => sessionId);
  const sessions = await store.signals.read(orgId, ids);
  const lastScores = plan.only_if_changed ? await store.sessionScores.latestOf(orgId, ids) : [];
  const scores: StoredSessionScore[] = [];
  const outcome: Outcome = { evaluated: 0, unchanged: 0, traces: 0, failures: [] };
  for (const sessionId of ids) {
    const session = sessions.get(sessionId) ?? null;
    const last = lastScores.filter((score) => score.sessionId === sessionId);
    if (plan.only_if_changed && isUnchanged(last, session?.revision ?? 0, plan)) {
      outcome.unchanged++;
      continue;
    }
    scores.push(...scoreSession(session, { sessionId, runId, plan, at: clock() }));
    outcome.evaluated++;
    outcome.traces += session?.traces.length ?? 0;
  }
  if (scores.length > 0) await store.sessionScores.append(orgId, scores);
  return outcome;
}

/** Each metric was last scored from these very traces, and judged the same way. */
function isUnchanged(last: readonly StoredSessionScore[], revision: number, plan: RunPlan): boolean {
  return plan.metrics.every((metric) =>
    last.some(
      (score) =>
        score.metric === metric &&
        score.revision === revision &&
        score.threshold === plan.thresholds[metric] &&
        JSON.stringify(score.weights) === JSON.stringify(plan.signal_weights),
    ),
  );
}

/**
 * What became of a run whose carrying out broke off. A conflict means that somebody else has written it: it was
 * cancelled, deleted or taken over, and is theirs. Anything else fails the run; null when it is gone.
 */
async function settle({ store, clock }: RunNode, run: Run, error: unknown): Promise<Run | null> {
  const current = await readRun(store, run.orgId, run.runId);
  if (isConflict(error) || current === null || isFinished(current.body)) return current;
  const { code, message } = toRenownError(error);
  const body: RunBody = {
    ...run.body,
    state: 'failed',
    error: `${code}: ${message}`,
    finishedAt: clock(),
    lease: null,
  };
  return writeRun(store, current, { body, at: clock() });
}
