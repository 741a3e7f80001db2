/**
 * Looks every few seconds for what is due: moments of monitors, and runs that nobody is carrying out. Any number of nodes
 * may do so at once. A moment becomes a run whose id follows from monitor and moment, so that the first node to write it
 * has it; a run is taken with a lease. Moments that were missed, while nothing ran, are caught up one after another, the
 * oldest first: a monitor's next moment begins when its last run has ended. Of very many missed, the last ones are.
 */
import { isConflict } from '../core/errors.ts';
import { tickIdOf } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import type { Document, Store } from '../store/store.ts';
import { parseCadence } from './cadence.ts';
import { carryOutRun, leaseOf, type RunNode } from './carry-out-run.ts';
import type { ServiceContext } from './context.ts';
import { createRunDocument, isFinished, type Run, unfinishedRuns, writeRun } from './run-document.ts';
import { lastLookedAt, MONITOR, type MonitorBody } from './session-monitors.ts';

interface Log {
  info(what: object, message: string): void;
  error(what: object, message: string): void;
}

const LOOK_EVERY_MS = 5_000;

interface SchedulerOptions {
  /** What is done when a run has ended on this node. */
  onFinished?(run: Run): Promise<void>;
  /** Whether moments of monitors are its concern; a command that carries out one run leaves them to a server. */
  withMonitors?: boolean;
}

export class Scheduler {
  readonly #node: RunNode;
  readonly #log: Log;
  readonly #options: SchedulerOptions;
  readonly #stopping = new AbortController();
  /** Runs that this node carries out, by their ids. */
  readonly #active = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #again = false;
  /** Whose run was taken last: the others have their turn before it. */
  #lastServed = '';

  constructor(
    { store, clock, newId, runBell }: Pick<ServiceContext, 'store' | 'clock' | 'newId' | 'runBell'>,
    log: Log,
    options: SchedulerOptions = {},
  ) {
    this.#node = { store, clock, holder: newId() };
    this.#log = log;
    this.#options = options;
    runBell.listen(() => void this.look());
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
    void this.look();
  }

  /** Puts runs down where they are, for whoever comes next. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking;
    await Promise.all(this.#active.values());
  }

  /** Starts what is due. One look at a time: whoever asks during one gets another after it. */
  look(): Promise<void> {
    this.#again = true;
    this.#looking ??= this.#lookWhileAsked();
    return this.#looking;
  }

  /** Resolves when nothing that this node has taken is under way any more, nor what the end of it let begin. */
  async idle(): Promise<void> {
    while (this.#active.size > 0 || this.#looking) {
      await Promise.all([this.#looking, ...this.#active.values()]);
    }
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#again && !this.#stopping.signal.aborted) {
      this.#again = false;
      await this.#attempt('', async () => {
        const orgIds = (await this.#node.store.orgs.list()).map(({ orgId }) => orgId);
        const waiting = new Map<string, Run[]>();
        for (const orgId of orgIds) {
          await this.#attempt(orgId, async () => waiting.set(orgId, await this.#dueOf(orgId)));
        }
        await this.#takeInTurns(waiting);
      });
    }
    // In the same breath as the last question whether to go on, so that nobody asks in between and is not heard.
    this.#looking = null;
  }

  /** The store may be away, or one org's part of it: it is asked again in a few seconds, and nothing is lost by then. */
  async #attempt(orgId: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.error({ org: orgId, error: (error as Error).name }, 'looking for due runs failed');
    }
  }

  /** What of an org nobody carries out, the oldest first. */
  async #dueOf(orgId: string): Promise<Run[]> {
    const { store, clock } = this.#node;
    // Before the runs: a moment that a monitor is said to have run has its run among these, or it has ended.
    const monitors = this.#options.withMonitors === false ? [] : await activeMonitors(store, orgId);
    const unfinished = await unfinishedRuns(store, orgId, clock());
    // Who has so many to do gets no more for now; moments are not lost by waiting.
    if (unfinished.length < LIMITS.runsWaitingMax) {
      const busy = new Set(unfinished.map(({ body }) => body.monitorId));
      for (const monitor of monitors) {
        if (busy.has(monitor.id)) continue;
        const started = await startIfDue(store, orgId, { monitor, now: clock(), log: this.#log });
        if (started) unfinished.push(started);
      }
    }
    return oneOfEachMonitor(unfinished).filter(({ runId }) => !this.#active.has(runId));
  }

  /** One run of each org after another, so that an org with a hundred of them has no more of the node than one with one. */
  async #takeInTurns(waiting: ReadonlyMap<string, Run[]>): Promise<void> {
    const orgIds = [...waiting.keys()].sort();
    const after = orgIds.findIndex((orgId) => orgId > this.#lastServed);
    const turns = after === -1 ? orgIds : [...orgIds.slice(after), ...orgIds.slice(0, after)];
    while (turns.length > 0) {
      if (this.#active.size >= LIMITS.runsAtOnceMax || this.#stopping.signal.aborted) return;
      const orgId = turns.shift() as string;
      const run = waiting.get(orgId)?.shift();
      if (!run) continue;
      turns.push(orgId);
      await this.#attempt(orgId, async () => {
        const taken = await takeRun(this.#node, run);
        if (!taken) return;
        this.#lastServed = orgId;
        this.#carryOut(taken);
      });
    }
  }

  #carryOut(run: Run): void {
    const work = carryOutRun(this.#node, run, { stopping: this.#stopping.signal })
      .then(async (left) => {
        const { state, progress } = left.body;
        this.#log.info({ run: run.runId, state, ...progress }, 'run');
        if (isFinished(left.body)) await this.#options.onFinished?.(left);
      })
      .catch((error) => {
        this.#log.error({ run: run.runId, error: (error as Error).name }, 'run broke off');
      })
      .finally(() => {
        this.#active.delete(run.runId);
        // There may have been more than this node takes at a time.
        if (!this.#stopping.signal.aborted) void this.look();
      });
    this.#active.set(run.runId, work);
  }
}

/** Null when it is another node's. */
export async function takeRun(node: RunNode, run: Run): Promise<Run | null> {
  const { store, clock } = node;
  const { lease, startedAt } = run.body;
  const now = clock();
  if (lease !== null && lease.until > now && lease.holder !== node.holder) return null;
  const body = { ...run.body, state: 'running' as const, startedAt: startedAt ?? now, lease: leaseOf(node) };
  return nullOnConflict(writeRun(store, run, { body, at: now }));
}

/**
 * Two runs of one monitor at once would each score what the other has not scored yet, `only_if_changed` or not: the one
 * that somebody has begun goes first, then the oldest.
 */
function oneOfEachMonitor(unfinished: readonly Run[]): Run[] {
  const first = new Map<string, Run>();
  for (const run of unfinished) {
    const key = run.body.monitorId ?? run.runId;
    const other = first.get(key);
    if (!other || (other.body.state === 'pending' && run.body.state === 'running')) first.set(key, run);
  }
  return [...first.values()];
}

async function activeMonitors(store: Store, orgId: string): Promise<Document[]> {
  const { items } = await store.documents.list(orgId, MONITOR, { limit: LIMITS.monitorsMax });
  return items.filter(({ body }) => (body as MonitorBody).state === 'active');
}

/** The run of the first moment that has come and was not run; null when there is none, or another node was first. */
async function startIfDue(
  store: Store,
  orgId: string,
  { monitor, now, log }: { monitor: Document; now: number; log: Log },
): Promise<Run | null> {
  const body = monitor.body as MonitorBody;
  const cadence = parseCadence(body.cadence);
  const after = lastLookedAt(body);
  const first = cadence.next(after);
  if (first > now) return null;
  const isCounted = first <= (body.countedUntil ?? after);
  const most = LIMITS.monitorCatchUpMax;
  const tick = isCounted ? first : cadence.nextOfLast(after, { upTo: now, most });
  if (first < tick) {
    const span = { from: new Date(first).toISOString(), before: new Date(tick).toISOString() };
    log.error(
      { org: orgId, monitor: monitor.id, ...span },
      'too many moments missed, these are not caught up',
    );
  }
  const runId = tickIdOf(monitor.id, tick);
  const run = { orgId, runId, plan: body.plan, at: now, monitorId: monitor.id, tick };
  const started = await nullOnConflict(createRunDocument(store, run));
  // Only so that it can be seen, and not asked again: that the run exists is what counts.
  const countedUntil = isCounted ? body.countedUntil : now;
  const next = { ...body, lastTick: tick, lastRunId: runId, countedUntil };
  const write = { kind: MONITOR, id: monitor.id, body: next, at: now, expectedVersion: monitor.version };
  await nullOnConflict(store.documents.put(orgId, write));
  return started;
}

/** Null when another node came first. */
async function nullOnConflict<T>(write: Promise<T>): Promise<T | null> {
  try {
    return await write;
  } catch (error) {
    if (isConflict(error)) return null;
    throw error;
  }
}
