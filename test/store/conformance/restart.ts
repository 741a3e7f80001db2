import { describe, expect, it } from 'vitest';
import { audited, evaluation, evaluations, reputationEvent, sessionScore, signalReport } from '../rows.ts';
import { everything } from './read.ts';
import { START, type Suite } from './suite.ts';

export function describeRestart(suite: Suite): void {
  const { reopen } = suite.engine;
  if (reopen === null) return;
  describe('a restart', () => {
    it('after the newest evaluations were removed counts those that come next', async () => {
      await suite.store.evaluations.append('acme', [
        evaluation('kept'),
        ...evaluations('old', 5, { counts: false }),
      ]);
      await suite.store.upkeep.prune(
        {
          evaluationsMs: 0,
          reputationEventsMs: null,
          auditMs: null,
          sessionEventsMs: null,
          signalsMs: null,
          sessionScoresMs: null,
        },
        START + 1e6,
      );
      suite.store = await reopen(suite.store);
      const next = await suite.store.evaluations.append('acme', [evaluation('next')]);
      expect(next.reputations.get('reviewer')).toMatchObject({ evalCount: 2, lifetimeEvaluations: 2 });
    });

    it('loses nothing, counts nothing twice and goes on where it was', async () => {
      const batch = Array.from({ length: 777 }, (_, i) =>
        evaluation(`e${i}`, { passed: i % 5 !== 0, totalLatencyMs: i / 7 }),
      );
      await suite.store.evaluations.append('acme', batch);
      await suite.store.evaluations.void('acme', 'e700', { audit: audited(0), at: 1, reason: 'test' });
      await suite.store.identities.append('acme', [reputationEvent(1)]);
      await suite.store.signals.append('acme', [signalReport('t1'), signalReport('t2')]);
      await suite.store.sessionScores.append('acme', [sessionScore('s1')]);
      const rows = await everything(suite.store);
      const reputation = await suite.store.evaluations.reputation('acme', 'reviewer');
      suite.store = await reopen(suite.store);
      expect(await everything(suite.store)).toEqual(rows);
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toEqual(reputation);
      expect(await suite.store.evaluations.append('acme', batch.slice(0, 3))).toMatchObject({
        accepted: 0,
        duplicates: ['e0', 'e1', 'e2'],
      });
      expect(await suite.store.identities.append('acme', [reputationEvent(1)])).toMatchObject({
        accepted: 0,
      });
      expect(await suite.store.signals.append('acme', [signalReport('t1')])).toMatchObject({ unchanged: 1 });
      expect(await suite.store.sessionScores.append('acme', [sessionScore('s1')])).toMatchObject({
        duplicates: 1,
      });
      const next = await suite.store.evaluations.append('acme', [evaluation('next')]);
      expect(next.reputations.get('reviewer')?.lifetimeEvaluations).toBe(777);
      expect((await suite.store.evaluations.list('acme', {}, { limit: 1 })).items[0]?.evaluationId).toBe(
        'next',
      );
    });
  });
}
