/** Where a removal, a failure or a crash meets what is only in memory: windows, lifetime counts and places in the ledger. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { audited, evaluation, evaluations } from './rows.ts';

const DAY_MS = 86_400_000;

function newPath(name = 'ledger.duckdb'): string {
  return join(mkdtempSync(join(tmpdir(), 'renown-')), name);
}

/** The ledger as a crash at this moment would leave it, opened. */
async function afterCrash(path: string, clock?: () => number): Promise<Store> {
  const copy = newPath();
  copyFileSync(path, copy);
  if (existsSync(`${path}.wal`)) copyFileSync(`${path}.wal`, `${copy}.wal`);
  return openStore(`duckdb:${copy}`, { ...(clock && { clock }) });
}

it('a void holds whoever reads the window meanwhile', async () => {
  const path = newPath();
  const agents = Array.from({ length: 40 }, (_, i) => `agent-${i}`);
  const first = await openStore(`duckdb:${path}`);
  for (const agentId of agents) await first.evaluations.append('acme', evaluations(agentId, 5, { agentId }));
  await first.close();
  const store = await openStore(`duckdb:${path}`);
  for (const [i, agentId] of agents.entries()) {
    const why = { at: 1, reason: 'a broken gate', audit: audited(i) };
    const voiding = store.evaluations.void('acme', `${agentId}-0`, why);
    // A little later each time, so that the reading begins at every point of the void.
    await new Promise((resolve) => setTimeout(resolve, i / 4));
    await Promise.all([voiding, store.evaluations.reputation('acme', agentId)]);
    expect((await store.evaluations.reputation('acme', agentId)).evalCount, agentId).toBe(4);
  }
  await store.close();
});

it('a void whose commit fails leaves the window as it was, after a restart too', async () => {
  const path = newPath();
  let store = await openStore(`duckdb:${path}`);
  await store.evaluations.append('acme', evaluations('e', 30));
  const why = { at: 1, reason: 'a broken gate', audit: audited(0) };
  const outcomes = await Promise.allSettled([
    store.evaluations.void('acme', 'e-0', why),
    // No value of the database: the commit that both share breaks off.
    store.orgs.create({ orgId: 'broken', name: Symbol('none') as never, createdAt: 1 }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await store.close();
  store = await openStore(`duckdb:${path}`);
  expect(await store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
    evalCount: 30,
    lifetimeEvaluations: 30,
  });
  await store.close();
});

it('lifetime counts outlive pruning, in a crash and in a copy', async () => {
  const path = newPath();
  let now = 0;
  const clock = () => now;
  const store = await openStore(`duckdb:${path}`, { clock });
  await store.evaluations.append('acme', evaluations('e', 700));
  now = 100 * DAY_MS;
  const policy = {
    evaluationsMs: 30 * DAY_MS,
    reputationEventsMs: null,
    auditMs: null,
    sessionEventsMs: null,
    signalsMs: null,
    sessionScoresMs: null,
  };
  expect(await store.upkeep.prune(policy, now)).toMatchObject({ evaluations: 200 });
  const copy = newPath();
  await store.upkeep.backup?.(copy);
  for (const one of [store, await afterCrash(path, clock), await openStore(`duckdb:${copy}`)]) {
    const { evalCount, lifetimeEvaluations } = await one.evaluations.reputation('acme', 'reviewer');
    expect([evalCount, lifetimeEvaluations]).toEqual([500, 700]);
    await one.close();
  }
});

it('a place that was given out stays taken, though its rows are gone and the server crashed', async () => {
  const path = newPath();
  const store = await openStore(`duckdb:${path}`);
  await store.evaluations.append('acme', [evaluation('first')]);
  await store.evaluations.append('acme', evaluations('gone', 10, { agentId: 'leaver' }));
  const place = await store.evaluations.head('acme');
  await store.agents.delete('acme', 'leaver', audited(0));
  const after = await afterCrash(path);
  await after.evaluations.append('acme', evaluations('new', 5));
  expect((await after.evaluations.since('acme', place, 100)).items).toHaveLength(5);
  await after.close();
  await store.close();
});

it('restores nothing that a window could not take, and no time from the future becomes now', async () => {
  const path = newPath();
  const stored = { ...evaluation('e'), receivedAt: Date.now(), voided: null };
  async function* rows(row: typeof stored) {
    yield { kind: 'evaluation' as const, orgId: 'acme', row };
  }
  let store = await openStore(`duckdb:${path}`);
  await expect(store.upkeep.restore(rows({ ...stored, totalLatencyMs: -1 }))).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(await store.evaluations.get('acme', 'e')).toBeNull();
  await store.upkeep.restore(rows({ ...stored, receivedAt: Date.now() + 365 * DAY_MS }));
  await store.close();
  store = await openStore(`duckdb:${path}`);
  await store.evaluations.append('acme', [evaluation('now')]);
  const { receivedAt = 0 } = (await store.evaluations.get('acme', 'now')) ?? {};
  expect(receivedAt).toBeLessThanOrEqual(Date.now());
  await store.close();
});

it('copies a ledger of any name, twice at once, and leaves nothing behind', async () => {
  const path = newPath('backup.duckdb');
  const store = await openStore(`duckdb:${path}`);
  await store.evaluations.append('acme', evaluations('e', 3));
  const copies = [newPath(), newPath()];
  await Promise.all(copies.map((copy) => store.upkeep.backup?.(copy)));
  await expect(store.upkeep.backup?.(join(dirname(path), 'missing', 'x'))).rejects.toMatchObject({
    code: 'unwritable_output',
  });
  for (const copy of copies) {
    expect(readdirSync(dirname(copy))).toEqual([basename(copy)]);
    const opened = await openStore(`duckdb:${copy}`);
    expect((await opened.evaluations.reputation('acme', 'reviewer')).evalCount).toBe(3);
    await opened.close();
  }
  await store.close();
});
