import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { type RunBody, readRun } from '../../src/service/run-document.ts';
import { Scheduler } from '../../src/service/scheduler.ts';
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
import { listRuns, readRunWire, tryRun } from '../../src/service/session-runs.ts';
import type { Store } from '../../src/store/store.ts';
import { CALLER, createNode, openLedger, reportOf, SILENT, unheard } from './node.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let now: number;
let store: Store;
let node: ReturnType<typeof createNode>;
const clock = () => now;

beforeEach(async () => {
  now = Date.parse('2026-11-15T10:00:00Z');
  ({ store, node } = await openLedger(clock));
});

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
    const scheduler = new Scheduler(unheard(node), log);
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
    for (let i = 0; i < 2; i++) await triggerMonitor(unheard(node), CALLER, monitor_id);
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
