import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { carryOutRun } from '../../src/service/carry-out-run.ts';
import { RunBell } from '../../src/service/run-bell.ts';
import { readRun } from '../../src/service/run-document.ts';
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

  it('catches up what it missed once, also after a restart', async () => {
    const { monitor_id } = await daily();
    now += 5 * DAY_MS;
    const restarted = createNode(store, clock);
    await restarted.settle();
    await restarted.settle();
    expect((await runsOf(monitor_id)).map(({ tick }) => tick)).toEqual(['2026-11-20T00:00:00.000Z']);
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
    now += DAY_MS;
    await node.settle();
    expect(await runsOf(monitor_id)).toHaveLength(1);
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
    const report = (sessionId: string, startedAt: number) => ({
      sessionId,
      traceId: 't',
      agentId: 'late',
      signals: { confidence: 1 },
      startedAt,
      tags: [],
      source: 'test',
    });
    await store.signals.append('acme', [
      report('edge', midnight + 2_500),
      report('ahead', midnight + 5 * DAY_MS),
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
    const read = store.signals.read;
    store.signals.read = async (orgId, ids) => {
      if (ids.includes('s00003')) throw new Error('a disk that is not well');
      return read(orgId, ids);
    };
    const { run_id } = await createRun(node.context, CALLER, { filter: {} });
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toMatchObject({
      state: 'completed',
      progress: { evaluated: 4, failed: 1 },
      failures: [{ session_id: 's00003', code: 'internal' }],
    });
    store.signals.read = read;
    await retryRun(node.context, CALLER, run_id);
    await node.settle();
    expect(await readRunWire(node.context, CALLER, run_id)).toMatchObject({
      state: 'completed',
      progress: { evaluated: 5, failed: 0, traces: 10 },
      failures: [],
    });
    expect((await store.sessionScores.list('acme', {}, { limit: 100 })).items).toHaveLength(10);
  });

  it('covers what it has scored when it is tried again, though the filter finds it no more', async () => {
    const to = now + HOUR_MS;
    const { run_id } = (await createRun(node.context, CALLER, { filter: { to } })) as { run_id: string };
    await node.settle();
    const late = {
      agentId: 'agent-0',
      signals: { confidence: 1 },
      startedAt: to + 1,
      tags: [],
      source: 'test',
    };
    await store.signals.append('acme', [
      { sessionId: 's00000', traceId: 'later', ...late },
      { sessionId: 's00001', traceId: 'later', ...late },
    ]);
    await retryRun(node.context, CALLER, run_id);
    await node.settle();
    const { progress } = await readRunWire(node.context, CALLER, run_id);
    expect(progress).toMatchObject({ selected: 5, evaluated: 5 });
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
