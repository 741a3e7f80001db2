import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { carryOutRun } from '../../src/service/carry-out-run.ts';
import { RunBell } from '../../src/service/run-bell.ts';
import { dropChoice, keepChoice, type RunBody, readChoice, readRun } from '../../src/service/run-document.ts';
import { Scheduler, takeRun } from '../../src/service/scheduler.ts';
import {
  changeMonitor,
  createMonitor,
  deleteMonitor,
  listMonitorRuns,
  pauseMonitor,
  readMonitor,
  resumeMonitor,
  triggerMonitor,
} from '../../src/service/session-monitors.ts';
import {
  cancelRun,
  createRun,
  deleteRun,
  listRuns,
  readRunWire,
  retryRun,
  tryRun,
} from '../../src/service/session-runs.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { CALLER, createNode, createOrg, fillSessions } from './node.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const SILENT = { info() {}, error() {} };

let now: number;
let store: Store;
let node: ReturnType<typeof createNode>;
const clock = () => now;

beforeEach(async () => {
  now = Date.parse('2026-11-15T10:00:00Z');
  store = createMemoryStore({ clock });
  node = createNode(store, clock);
  await createOrg(store);
  await fillSessions(store, { sessions: 5, traces: 2 });
});

/** Asks for runs that nobody carries out yet. */
const unheard = () => ({ ...node.context, runBell: new RunBell() });
const runsOf = async (monitorId: string) =>
  (await listMonitorRuns(node.context, CALLER, { monitorId })).items;

const reportOf = (sessionId: string, startedAt: number | null = null) => ({
  sessionId,
  traceId: 't',
  agentId: 'agent-0',
  signals: { confidence: 1 },
  startedAt,
  tags: [],
  source: 'test',
});

/** A store in which some sessions cannot be read; answers how to make it well again. */
function failToRead(isBroken: (sessionId: string) => boolean): () => void {
  const read = store.signals.read;
  store.signals.read = async (orgId, ids) => {
    if (ids.some(isBroken)) throw new Error('a disk that is not well');
    return read(orgId, ids);
  };
  return () => {
    store.signals.read = read;
  };
}

const choices = async () => (await store.documents.list('acme', 'session_run_chosen', { limit: 100 })).items;

describe('a monitor', () => {
  const daily = () => createMonitor(node.context, CALLER, { name: 'Nightly', cadence: 'daily', filter: {} });

  it('runs at its moments and not before', async () => {
    const { monitor_id, next_tick } = await daily();
    expect(next_tick).toBe('2026-11-16T00:00:00.000Z');
    await node.settle();
    expect(await runsOf(monitor_id)).toEqual([]);
    now = Date.parse('2026-11-16T00:00:00Z');
    await node.settle();
    await node.settle();
    expect(await runsOf(monitor_id)).toMatchObject([
      {
        state: 'completed',
        tick: '2026-11-16T00:00:00.000Z',
        progress: { selected: 5, evaluated: 5, traces: 10 },
      },
    ]);
    expect(await readMonitor(node.context, CALLER, monitor_id)).toMatchObject({
      last_tick: '2026-11-16T00:00:00.000Z',
      next_tick: '2026-11-17T00:00:00.000Z',
    });
  });

  const hourly = { name: 'Hourly', cadence: 'cron:0 * * * *', filter: { within_hours: 1 } };

  it('catches up all it missed after a restart, each once, the oldest first, each over its own hours', async () => {
    const { monitor_id } = await createMonitor(node.context, CALLER, hourly);
    await node.settle();
    await store.signals.append(
      'acme',
      [0, 1, 2, 3].map((hour) => reportOf(`at-${hour}`, now + hour * HOUR_MS + 1)),
    );
    now += 3 * HOUR_MS + 5_000;
    const restarted = [createNode(store, clock), createNode(store, clock)];
    await Promise.all(restarted.map((one) => one.settle()));
    await Promise.all(restarted.map((one) => one.settle()));
    const runs = (await runsOf(monitor_id)).reverse();
    expect(runs.map(({ tick }) => tick)).toEqual([
      '2026-11-15T11:00:00.000Z',
      '2026-11-15T12:00:00.000Z',
      '2026-11-15T13:00:00.000Z',
    ]);
    const started = await Promise.all(runs.map(({ run_id }) => readRun(store, 'acme', run_id)));
    expect(started.map((run) => run?.body.state)).toEqual(['completed', 'completed', 'completed']);
    const scored = await Promise.all(
      runs.map(async ({ run_id }) => [...(await store.sessionScores.scoredBy('acme', run_id))]),
    );
    // What was reported without a time of its own was received in the first of these hours.
    const received = Array.from({ length: 5 }, (_, i) => `s0000${i}`);
    expect(scored.map((ids) => ids.sort())).toEqual([['at-0', ...received], ['at-1'], ['at-2']]);
  });

  it('down for a year catches up the last of what it missed, says so, and goes on', async () => {
    const { monitor_id } = await createMonitor(node.context, CALLER, {
      ...hourly,
      session_ids: ['s00000'],
      filter: undefined,
    });
    now += 365 * DAY_MS;
    const said: object[] = [];
    const log = { ...SILENT, error: (what: object) => void said.push(what) };
    const scheduler = new Scheduler(unheard(), log);
    await scheduler.look();
    // One at a time.
    expect(await runsOf(monitor_id)).toHaveLength(1);
    await scheduler.idle();
    await scheduler.stop();
    const { items } = await store.documents.list('acme', 'session_run', { limit: 2_000 });
    expect(items).toHaveLength(LIMITS.monitorCatchUpMax);
    const ticks = items.map(({ body }) => (body as RunBody).tick);
    expect(ticks.at(-1)).toBe(now);
    expect(ticks[0]).toBe(now - (LIMITS.monitorCatchUpMax - 1) * HOUR_MS);
    expect(said).toEqual([
      {
        org: 'acme',
        monitor: monitor_id,
        from: '2026-11-15T11:00:00.000Z',
        before: new Date(ticks[0] ?? 0).toISOString(),
      },
    ]);
  });

  it('has one run at a time, so that what has not changed is scored once', async () => {
    const { monitor_id } = await createMonitor(node.context, CALLER, {
      name: 'Changes',
      cadence: 'daily',
      filter: {},
      only_if_changed: true,
    });
    now += 3 * DAY_MS;
    for (let i = 0; i < 2; i++) await triggerMonitor(unheard(), CALLER, monitor_id);
    // Slow enough for another run to look at the last scores meanwhile.
    const append = store.sessionScores.append;
    store.sessionScores.append = async (orgId, scores) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return append(orgId, scores);
    };
    const nodes = [node, createNode(store, clock), createNode(store, clock)];
    await Promise.all(nodes.map((one) => one.settle()));
    await node.settle();
    const runs = await runsOf(monitor_id);
    expect(runs.map(({ state }) => state)).toEqual(Array(5).fill('completed'));
    expect(runs.map(({ progress }) => progress.evaluated).sort()).toEqual([0, 0, 0, 0, 5]);
  });

  it('misses what falls into a pause, and goes on after it', async () => {
    const { monitor_id } = await daily();
    expect((await pauseMonitor(node.context, CALLER, monitor_id)).next_tick).toBeNull();
    now += 3 * DAY_MS;
    await node.settle();
    expect(await runsOf(monitor_id)).toEqual([]);
    await resumeMonitor(node.context, CALLER, monitor_id);
    await node.settle();
    expect(await runsOf(monitor_id)).toEqual([]);
    now += 2 * DAY_MS;
    await node.settle();
    // The pause is over, and so what came after it is caught up.
    expect((await runsOf(monitor_id)).map(({ tick }) => tick)).toEqual([
      '2026-11-20T00:00:00.000Z',
      '2026-11-19T00:00:00.000Z',
    ]);
  });

  it('is run once for each moment, however many nodes look at once', async () => {
    const { monitor_id } = await daily();
    const nodes = [node, createNode(store, clock), createNode(store, clock)];
    for (let day = 0; day < 3; day++) {
      now += DAY_MS;
      await Promise.all(nodes.map((one) => one.settle()));
    }
    const runs = await runsOf(monitor_id);
    expect(runs.map(({ tick, state }) => [tick, state])).toEqual([
      ['2026-11-18T00:00:00.000Z', 'completed'],
      ['2026-11-17T00:00:00.000Z', 'completed'],
      ['2026-11-16T00:00:00.000Z', 'completed'],
    ]);
    // Five sessions, two metrics, three moments: nothing was scored twice.
    const { items } = await store.sessionScores.list('acme', {}, { limit: 1_000 });
    expect(items).toHaveLength(30);
  });

  it('leaves unchanged sessions alone when it is told to', async () => {
    const { monitor_id } = await createMonitor(node.context, CALLER, {
      name: 'Changes',
      cadence: 'every_6h',
      filter: {},
      only_if_changed: true,
    });
    now += 6 * HOUR_MS;
    await node.settle();
    await store.signals.append('acme', [
      {
        sessionId: 's00002',
        traceId: 't0',
        agentId: null,
        signals: { confidence: 0.1 },
        startedAt: null,
        tags: [],
        source: 'x',
      },
    ]);
    now += 6 * HOUR_MS;
    await node.settle();
    // Judged another way, an unchanged session has another score.
    await changeMonitor(node.context, CALLER, {
      monitorId: monitor_id,
      thresholds: { agent_reliability: 0.9 },
    });
    now += 6 * HOUR_MS;
    await node.settle();
    const progress = (await runsOf(monitor_id)).map((run) => [
      run.progress.evaluated,
      run.progress.unchanged,
    ]);
    expect(progress).toEqual([
      [5, 0],
      [1, 4],
      [5, 0],
    ]);
  });

  it('looks at hours that follow one another without a gap, however late it is looked at', async () => {
    const monitor = { name: 'Nightly', cadence: 'daily', filter: { within_hours: 24 } };
    const { monitor_id } = await createMonitor(node.context, CALLER, monitor);
    const midnight = Date.parse('2026-11-16T00:00:00Z');
    await store.signals.append('acme', [
      reportOf('edge', midnight + 2_500),
      reportOf('ahead', midnight + 5 * DAY_MS),
    ]);
    const scored: string[][] = [];
    for (const late of [1_000, 4_000, 2_000]) {
      now = midnight + scored.length * DAY_MS + late;
      await node.settle();
      const [run] = await runsOf(monitor_id);
      scored.push([...(await store.sessionScores.scoredBy('acme', run?.run_id ?? ''))].sort());
    }
    expect(scored.flat().filter((id) => id === 'edge')).toEqual(['edge']);
    // Whose clock is ahead has its turn when the time comes, and is in a run over everything at once.
    expect(scored.flat()).not.toContain('ahead');
    const { sessions } = (await tryRun(node.context, CALLER, { filter: {} })) as { sessions: number };
    expect(sessions).toBe(7);
  });

  it('samples until that is taken away, and keeps it when something else is changed', async () => {
    const { monitor_id: monitorId } = await daily();
    const change = (fields: object) => changeMonitor(node.context, CALLER, { monitorId, ...fields });
    expect((await change({ sampling: { rate: 0.5 } })).plan.sampling).toEqual({ rate: 0.5, seed: 0 });
    expect((await change({ name: 'Daily' })).plan.sampling).toEqual({ rate: 0.5, seed: 0 });
    expect((await change({ sampling: null })).plan.sampling).toBeNull();
  });

  it('can be changed, run now and deleted, and its runs stay', async () => {
    const { monitor_id: monitorId } = await daily();
    const changed = await changeMonitor(node.context, CALLER, {
      monitorId,
      cadence: 'weekly',
      session_ids: ['s00001'],
      signal_weights: { confidence: 2 },
    });
    expect(changed).toMatchObject({
      name: 'Nightly',
      next_tick: '2026-11-16T00:00:00.000Z',
      plan: { session_ids: ['s00001'], filter: null, signal_weights: { confidence: 2, coherence: 1 } },
    });
    await pauseMonitor(node.context, CALLER, monitorId);
    const { run_id } = await triggerMonitor(node.context, CALLER, monitorId);
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toMatchObject({
      state: 'completed',
      monitor_id: monitorId,
      tick: null,
      progress: { evaluated: 1 },
    });
    await deleteMonitor(node.context, CALLER, monitorId);
    await expect(readMonitor(node.context, CALLER, monitorId)).rejects.toMatchObject({ code: 'not_found' });
    expect((await listRuns(node.context, CALLER, {})).items).toHaveLength(1);
  });
});

describe('a run', () => {
  it('says what it would cover, and samples the same sessions for the same seed', async () => {
    await fillSessions(store, { sessions: 400, traces: 1 });
    const request = { filter: { agent_id: 'agent-1' }, sampling: { rate: 0.25, seed: 7 } };
    const dry = await tryRun(node.context, CALLER, request);
    expect(dry).toMatchObject({ dry_run: true, matching: 133 });
    expect(dry.sessions).toBeGreaterThan(20);
    expect(dry.sessions).toBeLessThan(50);
    expect(await tryRun(node.context, CALLER, request)).toEqual(dry);
    expect((await listRuns(node.context, CALLER, {})).items).toEqual([]);
    const { run_id } = await createRun(node.context, CALLER, request);
    await node.settle();
    expect((await readRunWire(node.context, CALLER, run_id)).progress).toMatchObject({
      selected: dry.sessions,
      evaluated: dry.sessions,
      traces: dry.traces,
    });
  });

  it('counts the sessions that failed, and scores them alone when it is tried again', async () => {
    const mend = failToRead((id) => id === 's00003');
    const { run_id } = await createRun(node.context, CALLER, { filter: {} });
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toMatchObject({
      state: 'completed',
      progress: { evaluated: 4, failed: 1 },
      failures: [{ session_id: 's00003', code: 'internal' }],
    });
    mend();
    await retryRun(node.context, CALLER, run_id);
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toMatchObject({
      state: 'completed',
      progress: { evaluated: 5, failed: 0, traces: 10 },
      failures: [],
    });
    expect((await store.sessionScores.list('acme', {}, { limit: 100 })).items).toHaveLength(10);
  });

  it('is tried again for the sessions it had chosen, whatever its filter would find by now', async () => {
    const to = now + HOUR_MS;
    const mend = failToRead((id) => id === 's00001' || id === 's00002');
    const { run_id } = await createRun(node.context, CALLER, { filter: { to } });
    await node.settle();
    mend();
    // One that was scored and one that failed fit it no more, and one that nobody knew then does.
    const late = [reportOf('s00000', to + 1), reportOf('s00001', to + 1), reportOf('newcomer')];
    await store.signals.append('acme', late);
    const remend = failToRead((id) => id === 's00002');
    await retryRun(node.context, CALLER, run_id);
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toMatchObject({
      state: 'completed',
      progress: { selected: 5, evaluated: 4, failed: 1 },
      failures: [{ session_id: 's00002' }],
    });
    remend();
    await retryRun(node.context, CALLER, run_id);
    await node.settle();
    const { progress } = await readRunWire(node.context, CALLER, run_id);
    // The traces as they were scored: s00001 had got one more by then.
    expect(progress).toEqual({ selected: 5, evaluated: 5, unchanged: 0, failed: 0, traces: 11 });
    expect(await store.sessionScores.scoredBy('acme', run_id)).not.toContain('newcomer');
    expect(await choices()).toEqual([]);
  });

  it('leaves to itself, when it is tried again, what it had found unchanged', async () => {
    await createRun(node.context, CALLER, { filter: {}, metrics: ['agent_reliability'] });
    await node.settle();
    await store.signals.append('acme', [reportOf('s00003')]);
    const mend = failToRead((id) => id === 's00003');
    const request = { filter: {}, metrics: ['agent_reliability' as const], only_if_changed: true };
    const { run_id } = await createRun(node.context, CALLER, request);
    await node.settle();
    mend();
    await store.signals.append('acme', [reportOf('s00004')]);
    await retryRun(node.context, CALLER, run_id);
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toMatchObject({
      state: 'completed',
      progress: { selected: 5, evaluated: 1, unchanged: 4, failed: 0 },
    });
  });

  it('stays as it is when it is tried again and nothing is left to do', async () => {
    const { run_id } = await createRun(node.context, CALLER, { filter: {} });
    await node.settle();
    const done = await readRunWire(node.context, CALLER, run_id);
    expect(done).toMatchObject({ state: 'completed', progress: { selected: 5, evaluated: 5 } });
    await store.signals.append('acme', [reportOf('newcomer')]);
    now += 1_000;
    expect(await retryRun(node.context, CALLER, run_id)).toEqual(done);
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toEqual(done);
  });

  it('takes its choice with it when it is deleted', async () => {
    failToRead(() => true);
    const { run_id } = await createRun(node.context, CALLER, { filter: {} });
    await node.settle();
    expect((await readRunWire(node.context, CALLER, run_id)).state).toBe('failed');
    expect(await choices()).toHaveLength(1);
    await deleteRun(node.context, CALLER, run_id);
    expect(await choices()).toEqual([]);
  });

  it('keeps a choice of any size', async () => {
    const { run_id } = await createRun(unheard(), CALLER, { filter: {} });
    const run = await readRun(store, 'acme', run_id);
    if (!run) throw new Error('there is no run');
    const length = 2 * LIMITS.runChosenPerDocument + 1;
    const sessions = Array.from({ length }, (_, i) => ({ sessionId: `s${i}`, traces: i }));
    const settled = { evaluated: 0, unchanged: 0, traces: 0 };
    const choice = await keepChoice(store, run, { sessions, settled, at: now });
    expect(choice.documents).toBe(3);
    expect(await readChoice(store, run, choice)).toEqual(sessions);
    await dropChoice(store, run, choice);
    expect(await choices()).toEqual([]);
  });

  it('of one org does not wait for a hundred of another, nor for one that cannot be read', async () => {
    await store.orgs.create({ orgId: 'zeta', name: 'Zeta', createdAt: 0 });
    const order: string[] = [];
    const documents = {
      ...store.documents,
      list: async (orgId: string, ...rest: [string, { limit: number }]) => {
        if (orgId === 'broken') throw new Error('It cannot be read.');
        return store.documents.list(orgId, ...rest);
      },
    };
    await store.orgs.create({ orgId: 'broken', name: 'Broken', createdAt: 0 });
    const context = { ...unheard(), store: { ...store, documents } };
    const noted = new Scheduler(context, SILENT, { onFinished: async ({ orgId }) => void order.push(orgId) });
    for (let i = 0; i < 20; i++) await createRun(unheard(), CALLER, { session_ids: [`s${i}`] });
    await createRun(unheard(), { ...CALLER, orgId: 'zeta' }, { session_ids: ['one'] });
    while (order.length < 21) {
      await noted.look();
      await noted.idle();
    }
    await noted.stop();
    expect(order.indexOf('zeta')).toBeLessThan(3);
  });

  it('is refused when too many of the org wait', async () => {
    for (let i = 0; i < LIMITS.runsWaitingMax; i++) {
      await createRun(unheard(), CALLER, { session_ids: ['s00000'] });
    }
    const more = createRun(unheard(), CALLER, { session_ids: ['s00000'] });
    await expect(more).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('stops where it is when it is cancelled, and leaves nothing when it is deleted', async () => {
    await fillSessions(store, { sessions: 250, traces: 1 });
    const { run_id } = await createRun(node.context, CALLER, { filter: {} });
    const append = store.sessionScores.append;
    store.sessionScores.append = async (orgId, scores) => {
      // Each batch takes longer than a word on progress may be late.
      now += 2_000;
      const appended = await append(orgId, scores);
      await cancelRun(node.context, CALLER, run_id);
      return appended;
    };
    await node.settle();
    expect((await readRunWire(node.context, CALLER, run_id)).state).toBe('cancelled');
    expect((await store.sessionScores.scoredBy('acme', run_id)).size).toBe(100);

    store.sessionScores.append = async (orgId, scores) => {
      now += 2_000;
      await deleteRun(node.context, CALLER, run_id);
      return append(orgId, scores);
    };
    await retryRun(node.context, CALLER, run_id);
    await node.settle();
    await expect(readRunWire(node.context, CALLER, run_id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await store.sessionScores.list('acme', {}, { limit: 10 })).items).toEqual([]);
  });

  it('goes on where it was when its node stops, and when its node is taken for dead', async () => {
    await fillSessions(store, { sessions: 250, traces: 1 });
    const { run_id } = await createRun(node.context, CALLER, { filter: {} });
    const found = await readRun(store, 'acme', run_id);
    const dead = { store, clock, holder: 'dead' };
    const taken = found && (await takeRun(dead, found));
    if (!taken) throw new Error('the run was not taken');
    const append = store.sessionScores.append;
    const stopping = new AbortController();
    store.sessionScores.append = (orgId, scores) => {
      stopping.abort();
      return append(orgId, scores);
    };
    await carryOutRun(dead, taken, { stopping: stopping.signal });
    store.sessionScores.append = append;
    expect((await store.sessionScores.scoredBy('acme', run_id)).size).toBe(100);
    // Who goes on has the same sessions before it.
    await store.signals.append('acme', [reportOf('newcomer')]);

    // A node that was killed has not given its lease back: others wait until it has run out.
    const put = await readRun(store, 'acme', run_id);
    if (put) await takeRun(dead, put);
    await node.settle();
    expect((await readRunWire(node.context, CALLER, run_id)).state).toBe('running');
    now += 31_000;
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toMatchObject({
      state: 'completed',
      progress: { selected: 250, evaluated: 250 },
    });
    expect((await store.sessionScores.list('acme', {}, { limit: 1_000 })).items).toHaveLength(500);
  });
});
