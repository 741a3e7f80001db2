import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { carryOutRun } from '../../src/service/carry-out-run.ts';
import { dropChoice, keepChoice, readChoice, readRun } from '../../src/service/run-document.ts';
import { Scheduler, takeRun } from '../../src/service/scheduler.ts';
import {
  cancelRun,
  createRun,
  deleteRun,
  listRuns,
  readRunWire,
  retryRun,
  tryRun,
} from '../../src/service/session-runs.ts';
import type { Store } from '../../src/store/store.ts';
import { CALLER, type createNode, fillSessions, openLedger, reportOf, SILENT, unheard } from './node.ts';

const HOUR_MS = 3_600_000;

let now: number;
let store: Store;
let node: ReturnType<typeof createNode>;
const clock = () => now;

beforeEach(async () => {
  now = Date.parse('2026-11-15T10:00:00Z');
  ({ store, node } = await openLedger(clock));
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
    const { run_id } = await createRun(unheard(node), CALLER, { filter: {} });
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
    const context = { ...unheard(node), store: { ...store, documents } };
    const noted = new Scheduler(context, SILENT, { onFinished: async ({ orgId }) => void order.push(orgId) });
    for (let i = 0; i < 20; i++) await createRun(unheard(node), CALLER, { session_ids: [`s${i}`] });
    await createRun(unheard(node), { ...CALLER, orgId: 'zeta' }, { session_ids: ['one'] });
    while (order.length < 21) {
      await noted.look();
      await noted.idle();
    }
    await noted.stop();
    expect(order.indexOf('zeta')).toBeLessThan(3);
  });

  it('is refused when too many of the org wait', async () => {
    for (let i = 0; i < LIMITS.runsWaitingMax; i++) {
      await createRun(unheard(node), CALLER, { session_ids: ['s00000'] });
    }
    const more = createRun(unheard(node), CALLER, { session_ids: ['s00000'] });
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
