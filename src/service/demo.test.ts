import { describe, expect, it } from 'vitest';
import { toVerdictWire } from '../core/contract/verdict.ts';
import { identityIdOf } from '../core/ids.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { LedgerRow } from '../store/store.ts';
import { demoRows, fillDemo } from './demo.ts';
import { judgeStored } from './judge-stored.ts';

const NOW = Date.UTC(2026, 10, 15, 9);

async function month(now: number): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for await (const row of demoRows('acme', now)) rows.push(row);
  return rows;
}

describe('the demo', () => {
  it('is the same month for the same moment, and lies in the past', async () => {
    const rows = await month(NOW);
    expect(await month(NOW)).toEqual(rows);
    const times = rows.flatMap((item) => (item.kind === 'evaluation' ? [item.row.receivedAt] : []));
    expect(times.length).toBeGreaterThan(2_000);
    expect(Math.max(...times)).toBeLessThanOrEqual(NOW);
    expect(Math.min(...times)).toBeGreaterThan(NOW - 31 * 86_400_000);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('shows agents that are good, bad, recovering, slipping and new', async () => {
    const store = createMemoryStore({ clock: () => NOW });
    expect(await fillDemo(store, 'acme', NOW)).toBe(true);
    const scoreOf = async (agentId: string) => (await store.evaluations.reputation('acme', agentId)).score;
    expect(await scoreOf('code-reviewer')).toBeGreaterThan(850);
    expect(await scoreOf('shell-runner')).toBeLessThan(700);
    const week = 7 * 86_400_000;
    const [early, late] = await store.evaluations.history('acme', 'support-bot', [NOW - 3 * week, NOW]);
    expect(late?.passRate).toBeGreaterThan((early?.passRate ?? 1) + 0.1);
    const [before, after] = await store.evaluations.history('acme', 'claude-desktop/filesystem', [
      NOW - week,
      NOW,
    ]);
    expect(after?.passRate).toBeLessThan((before?.passRate ?? 0) - 0.02);
    expect((await store.evaluations.reputation('acme', 'invoice-drafter')).lifecycle).toBe('calibrating');
  });

  it('has sessions that were judged, and that their identities know of', async () => {
    const store = createMemoryStore({ clock: () => NOW });
    await fillDemo(store, 'acme', NOW);
    const median = async (agentId: string) => {
      const verdicts = await store.verdicts.list('acme', { agentId }, 30);
      const composites = verdicts.map(({ composite }) => composite).toSorted((a, b) => a - b);
      expect(composites).toHaveLength(30);
      return composites[15] ?? 0;
    };
    expect(await median('code-reviewer')).toBeGreaterThan(await median('shell-runner'));
    const last = 'code-reviewer-day-29';
    const judged = await judgeStored({ store, clock: () => NOW }, { orgId: 'acme', sessionId: last });
    const [stored] = await store.verdicts.latestOf('acme', [last]);
    expect(judged?.verdicts.map(toVerdictWire)).toEqual([stored?.details]);
    expect(stored?.details).toMatchObject({ baseline: { sessions: 20 } });
    expect(await store.sessions.due(NOW, 9)).toEqual([]);
    const { items } = await store.identities.list('acme', identityIdOf('acme', 'code-reviewer'), {
      limit: 99,
    });
    expect(items.filter(({ referenceType }) => referenceType === 'session')).toHaveLength(30);
  });

  it('has noticed which of them got worse', async () => {
    const rows = (await month(NOW)).flatMap((item) => (item.kind === 'document' ? [item.row] : []));
    const alerts = rows.filter(({ kind }) => kind === 'alert');
    expect(alerts.map(({ body }) => body)).toMatchObject([
      { kind: 'change_detected', subject: 'claude-desktop/filesystem' },
    ]);
  });

  it('leaves a store alone that has agents', async () => {
    const store = createMemoryStore({ clock: () => NOW });
    await store.agents.put('acme', 'real', { at: NOW });
    expect(await fillDemo(store, 'acme', NOW)).toBe(false);
    expect((await store.agents.list('acme', { limit: 10 })).items).toHaveLength(1);
  });
});
