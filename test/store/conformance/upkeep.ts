import { describe, expect, it } from 'vitest';
import { SessionTable } from '../../../src/telemetry/session-table.ts';
import {
  audited,
  evaluation,
  evaluations,
  reputationEvent,
  sessionScore,
  signalReport,
  told,
  verdict,
} from '../rows.ts';
import { everything, stream } from './read.ts';
import { START, type Suite } from './suite.ts';

export function describeUpkeep(suite: Suite): void {
  describe('upkeep', () => {
    const policy = {
      evaluationsMs: 1000,
      reputationEventsMs: 1000,
      auditMs: 1000,
      sessionEventsMs: null,
      signalsMs: null,
      sessionScoresMs: null,
    };

    it('removes what is old but for the last 500 of each agent, and keeps the lifetime count', async () => {
      await suite.store.evaluations.append('acme', [
        ...evaluations('e', 600),
        evaluation('x', { counts: false }),
        ...evaluations('f', 3, { agentId: 'b' }),
      ]);
      await suite.store.identities.append('acme', [
        reputationEvent(1, { timestamp: START }),
        reputationEvent(2, { timestamp: START + 9_500 }),
      ]);
      await suite.store.audit.append('acme', { ...audited(1), at: START });
      const before = await suite.store.evaluations.reputation('acme', 'reviewer');
      expect(await suite.store.upkeep.prune(policy, START + 10_000)).toEqual({
        evaluations: 101,
        reputationEvents: 1,
        auditEntries: 1,
        sessionEvents: 0,
        signalReports: 0,
        sessionScores: 0,
      });
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toEqual(before);
      expect(await suite.store.evaluations.get('acme', 'e-99')).toBeNull();
      expect(await suite.store.evaluations.get('acme', 'e-100')).not.toBeNull();
      expect(await suite.store.evaluations.get('acme', 'f-0')).not.toBeNull();
      expect(
        await suite.store.upkeep.prune(
          {
            evaluationsMs: null,
            reputationEventsMs: null,
            auditMs: null,
            sessionEventsMs: null,
            signalsMs: null,
            sessionScoresMs: null,
          },
          START + 1e9,
        ),
      ).toEqual({
        evaluations: 0,
        reputationEvents: 0,
        auditEntries: 0,
        sessionEvents: 0,
        signalReports: 0,
        sessionScores: 0,
      });
      await suite.store.evaluations.void('acme', 'e-599', { audit: audited(0), at: 1, reason: 'test' });
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
        evalCount: 499,
        lifetimeEvaluations: 599,
      });
    });

    it('removes signals session by session, and scores by their age', async () => {
      const keep = {
        evaluationsMs: null,
        reputationEventsMs: null,
        auditMs: null,
        sessionEventsMs: null,
      };
      await suite.store.signals.append('acme', [
        signalReport('t1', { sessionId: 'old' }),
        signalReport('t1', { sessionId: 'kept' }),
      ]);
      const [{ receivedAt = 0 } = {}] = (await suite.store.signals.history('acme', 'old', { limit: 1 }))
        .items;
      await suite.store.signals.append('acme', [signalReport('t2', { sessionId: 'kept' })]);
      const [{ receivedAt: later = 0 } = {}] = (
        await suite.store.signals.history('acme', 'kept', { limit: 1 })
      ).items;
      await suite.store.sessionScores.append('acme', [
        sessionScore('old', { computedAt: START }),
        sessionScore('kept', { computedAt: START + 9_000 }),
      ]);
      expect(later).toBeGreaterThan(receivedAt);
      const policy = { ...keep, signalsMs: 0, sessionScoresMs: null };
      // Just before what came later: a part of a session alone is never removed.
      expect(await suite.store.upkeep.prune(policy, later)).toMatchObject({
        signalReports: 1,
        sessionScores: 0,
      });
      expect([...(await suite.store.signals.read('acme', ['old', 'kept'])).keys()]).toEqual(['kept']);
      expect((await suite.store.signals.read('acme', ['kept'])).get('kept')?.traces).toHaveLength(2);
      expect(
        await suite.store.upkeep.prune({ ...keep, signalsMs: null, sessionScoresMs: 5_000 }, START + 10_000),
      ).toMatchObject({ signalReports: 0, sessionScores: 1 });
      expect(
        (await suite.store.sessionScores.latestOf('acme', ['old', 'kept'])).map(({ sessionId }) => sessionId),
      ).toEqual(['kept']);
    });

    it('exports everything, and restores it elsewhere, once', async () => {
      await suite.store.orgs.create({ orgId: 'acme', name: 'Acme', createdAt: 1 });
      await suite.store.keys.create({
        keyId: 'k',
        orgId: 'acme',
        kind: 'sk',
        hash: 'h',
        hint: 'x',
        createdAt: 1,
        revokedAt: null,
        lastUsedAt: 4,
      });
      await suite.store.evaluations.append('acme', evaluations('e', 620, { tags: ['t'] }));
      await suite.store.evaluations.append('rival', evaluations('e', 2));
      await suite.store.evaluations.void('acme', 'e-610', { audit: audited(0), at: 9, reason: 'why not' });
      await suite.store.upkeep.prune({ ...policy, reputationEventsMs: null }, START + 100_000);
      await suite.store.identities.append('acme', [reputationEvent(1), reputationEvent(1, { revision: 2 })]);
      await suite.store.signals.append('acme', [
        signalReport('t1', { agentId: 'reviewer', tags: ['t'], startedAt: 7 }),
        signalReport('t1', { signals: { coherence: 1 } }),
      ]);
      await suite.store.signals.append('acme', [signalReport('t1', { agentId: 'reviewer', startedAt: 8 })]);
      await suite.store.sessionScores.append('acme', [
        sessionScore('s1', { agentId: 'reviewer', tags: ['t'] }),
      ]);
      const table = new SessionTable();
      table.add(told('s1', { kind: 'tool', id: 't1', name: 'Bash', amount: 2 }));
      table.add(
        told('s1', {
          kind: 'model',
          costUsd: 1,
          tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: null },
        }),
      );
      await suite.store.sessions.append('acme', table);
      await suite.store.sessions.append('acme', table);
      await suite.store.verdicts.append('acme', [verdict('s1', { details: { composite: 6.5 } })]);
      await suite.store.audit.append('acme', audited(3));
      const rows = await everything(suite.store);
      const reputation = await suite.store.evaluations.reputation('acme', 'reviewer');
      expect(reputation.lifetimeEvaluations).toBe(619);

      const other = await suite.engine.open();
      expect(await other.upkeep.restore(stream(rows))).toEqual({ restored: rows.length, present: 0 });
      expect(await everything(other)).toEqual(rows);
      expect(await other.evaluations.reputation('acme', 'reviewer')).toEqual(reputation);
      expect(await other.upkeep.restore(stream(rows))).toEqual({ restored: 0, present: rows.length });
      await other.close();
    });
  });
}
