/**
 * Carries a run out: chooses the sessions, scores them a hundred at a time, and says how far it is. What it has scored is
 * in the ledger before it says so, and a run that is taken up again, by this node or another, goes on where it was: with
 * the sessions that it had chosen, whatever its filter finds by now, and those that it has scored are passed over.
 */
import { isConflict, toRenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { SelectedSession, Store, StoredSessionScore } from '../store/store.ts';
import {
  type Choice,
  dropChoice,
  forgetUnfinished,
  isFinished,
  keepChoice,
  type Run,
  type RunBody,
  readChoice,
  readRun,
  type Settled,
  writeRun,
} from './run-document.ts';
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
    const { sessions, settled } = await chosenBy(store, run);
    const scored = await store.sessionScores.scoredBy(run.orgId, run.runId);
    const left = sessions.filter(({ sessionId }) => !scored.has(sessionId));
    const progress = progressOf({ sessions, settled, scored });
    const failures: RunBody['failures'] = [];
    const chosen = run.body.chosen ?? (await keepChoice(store, run, { sessions, settled, at: clock() }));
    await save({ chosen, progress: { ...progress }, lease: leaseOf(node) });
    for (let i = 0; i < left.length; i += LIMITS.runBatchSessions) {
      if (stopping.aborted) {
        await save({ progress: { ...progress }, lease: null });
        return run;
      }
      if (clock() - savedAt >= LIMITS.runProgressMs) {
        await save({ progress: { ...progress }, lease: leaseOf(node) });
      }
      const batch = left.slice(i, i + LIMITS.runBatchSessions);
      const outcome = await scoreBatch(node, run, batch);
      progress.evaluated += outcome.evaluated;
      progress.unchanged += outcome.unchanged;
      progress.traces += outcome.traces;
      progress.failed += outcome.failures.length;
      failures.push(...outcome.failures);
    }
    await save({
      state: progress.failed > 0 && progress.evaluated === 0 ? 'failed' : 'completed',
      progress,
      failures: failures.slice(0, LIMITS.runFailuresListedMax),
      finishedAt: clock(),
      lease: null,
      chosen: await keepFailed(node, run, { progress, failed: sessionsOf(failures, left) }),
    });
    await dropChoice(store, run, chosen);
  } catch (error) {
    const current = await settle(node, run, error);
    // It was deleted, and so goes what this node has scored since.
    if (current === null) {
      await store.sessionScores.removeRun(run.orgId, run.runId);
      await dropChoice(store, run);
    }
    run = current ?? { ...run, body: { ...run.body, state: 'cancelled' } };
  }
  if (isFinished(run.body)) await forgetUnfinished(store, run.orgId, run.runId);
  return run;
}

export function leaseOf({ holder, clock }: RunNode): RunBody['lease'] {
  return { holder, until: clock() + LIMITS.runLeaseMs };
}

const NOTHING_SETTLED: Settled = { evaluated: 0, unchanged: 0, traces: 0 };

/** What a run has chosen and not settled; it chooses once, when it is taken up for the first time. */
async function chosenBy(
  store: Store,
  { orgId, runId, body }: Run,
): Promise<{ sessions: readonly SelectedSession[]; settled: Settled }> {
  const { plan, createdAt: at, tick, chosen } = body;
  if (chosen) return { sessions: await readChoice(store, { orgId, runId }, chosen), settled: chosen.settled };
  const { sessions } = await selectSessions(store, orgId, { plan, moment: { at, tick } });
  return { sessions, settled: NOTHING_SETTLED };
}

/** Where a run stands that has settled some of its sessions, and scored some of the others. */
function progressOf({
  sessions,
  settled,
  scored,
}: {
  sessions: readonly SelectedSession[];
  settled: Settled;
  scored: ReadonlySet<string>;
}): RunBody['progress'] {
  const { unchanged } = settled;
  let { evaluated, traces } = settled;
  const selected = evaluated + unchanged + sessions.length;
  for (const session of sessions) {
    if (!scored.has(session.sessionId)) continue;
    evaluated++;
    traces += session.traces;
  }
  return { selected, evaluated, unchanged, failed: 0, traces };
}

/** For a retry: these, and nothing else that the run has chosen. */
async function keepFailed(
  { store, clock }: RunNode,
  run: Run,
  { progress, failed }: { progress: RunBody['progress']; failed: readonly SelectedSession[] },
): Promise<Choice | null> {
  if (failed.length === 0) return null;
  const { evaluated, unchanged, traces } = progress;
  return keepChoice(store, run, { sessions: failed, settled: { evaluated, unchanged, traces }, at: clock() });
}

function sessionsOf(failures: RunBody['failures'], sessions: readonly SelectedSession[]): SelectedSession[] {
  const ids = new Set(failures.map(({ session_id }) => session_id));
  return sessions.filter(({ sessionId }) => ids.has(sessionId));
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
