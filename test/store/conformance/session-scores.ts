import { describe, expect, it } from 'vitest';
import type { StoredSessionScore } from '../../../src/store/store.ts';
import { audited, sessionScore, signalReport } from '../rows.ts';
import { allPages, range } from './read.ts';
import { START, type Suite } from './suite.ts';

const HOUR_MS = 3_600_000;

export function describeSessionScores(suite: Suite): void {
  describe('session scores', () => {
    const append = (...batch: StoredSessionScore[]) => suite.store.sessionScores.append('acme', batch);
    const ids = (scores: readonly StoredSessionScore[]) => scores.map(({ sessionId }) => sessionId);

    it('come back as they were, and count once for a run, session and metric', async () => {
      const score = sessionScore('s1', { tags: ['a', 'b'], score: 1 / 3, passed: false });
      await suite.store.signals.append('acme', [signalReport('t1', { agentId: 'reviewer' })]);
      expect(await append(score, { ...score, score: 0.9 })).toEqual({ accepted: 1, duplicates: 1 });
      expect(await append({ ...score, score: 0.8 })).toEqual({ accepted: 0, duplicates: 1 });
      expect(await append({ ...score, metric: 'agent_consistency' })).toEqual({ accepted: 1, duplicates: 0 });
      const { items } = await suite.store.sessionScores.list(
        'acme',
        { metric: 'agent_reliability' },
        { limit: 9 },
      );
      expect(items).toEqual([score]);
      expect(await suite.store.sessionScores.scoredBy('acme', 'run-1')).toEqual(new Set(['s1']));
    });

    it('are listed newest first, page by page, by every filter', async () => {
      for (const i of range(0, 4)) {
        await append(
          sessionScore(`s${i}`, {
            runId: i < 3 ? 'run-1' : 'run-2',
            sessionAt: START + i,
            tags: [`g${i % 2}`],
          }),
        );
      }
      const listed = await allPages((cursor) =>
        suite.store.sessionScores.list('acme', {}, { cursor, limit: 2 }),
      );
      expect(ids(listed)).toEqual(['s4', 's3', 's2', 's1', 's0']);
      const list = async (filter: Parameters<typeof suite.store.sessionScores.list>[1]) =>
        ids((await suite.store.sessionScores.list('acme', filter, { limit: 9 })).items);
      expect(await list({ runId: 'run-2' })).toEqual(['s4', 's3']);
      expect(await list({ sessionId: 's2' })).toEqual(['s2']);
      expect(await list({ tag: 'g1' })).toEqual(['s3', 's1']);
      expect(await list({ from: START + 1, to: START + 3 })).toEqual(['s2', 's1']);
      expect(await list({ passed: false })).toEqual([]);
      expect(await list({ evidence: 'none' })).toEqual([]);
      expect(await list({ agentId: 'nobody' })).toEqual([]);
    });

    it('show the latest of each session, worst first, those without evidence last', async () => {
      await append(sessionScore('s1', { score: 0.1, passed: false }), sessionScore('s2', { score: 0.5 }));
      await append(sessionScore('s3', { score: 1, evidence: 'none', passed: null }));
      await append(sessionScore('s1', { runId: 'run-2', score: 0.8 }));
      const worst = await allPages((cursor) =>
        suite.store.sessionScores.worst('acme', { metric: 'agent_reliability' }, { cursor, limit: 1 }),
      );
      expect(worst.map(({ sessionId, score }) => [sessionId, score])).toEqual([
        ['s2', 0.5],
        ['s1', 0.8],
        ['s3', 1],
      ]);
      const ofRun = await suite.store.sessionScores.worst('acme', { runId: 'run-1' }, { limit: 9 });
      expect(ids(ofRun.items)).toEqual(['s1', 's2', 's3']);
      // A condition is asked of the latest score alone.
      expect((await suite.store.sessionScores.worst('acme', { passed: false }, { limit: 9 })).items).toEqual(
        [],
      );
      const latest = await suite.store.sessionScores.latestOf('acme', ['s3', 's1', 'unknown']);
      expect(latest.map(({ sessionId, runId }) => [sessionId, runId])).toEqual([
        ['s1', 'run-2'],
        ['s3', 'run-1'],
      ]);
    });

    it('are counted by spans of time, each session once', async () => {
      const at = Math.floor(START / HOUR_MS) * HOUR_MS;
      await append(
        sessionScore('s1', { score: 0.05, sessionAt: at, passed: false }),
        sessionScore('s2', { score: 1, sessionAt: at + 1 }),
        sessionScore('s3', { score: 0.7, sessionAt: at + HOUR_MS }),
        sessionScore('s4', { score: 1, sessionAt: at, evidence: 'none', passed: null }),
      );
      await append(sessionScore('s1', { runId: 'run-2', score: 0.55, sessionAt: at }));
      expect(await suite.store.sessionScores.aggregate('acme', {}, HOUR_MS)).toEqual([
        {
          metric: 'agent_reliability',
          startsAt: at,
          sessions: 2,
          withoutEvidence: 1,
          passed: 2,
          scoreSum: 1.55,
          scoreMin: 0.55,
          tenths: [0, 0, 0, 0, 0, 1, 0, 0, 0, 1],
        },
        {
          metric: 'agent_reliability',
          startsAt: at + HOUR_MS,
          sessions: 1,
          withoutEvidence: 0,
          passed: 1,
          scoreSum: 0.7,
          scoreMin: 0.7,
          tenths: [0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
        },
      ]);
    });

    it('go with their run, and with their agent', async () => {
      await suite.store.agents.put('acme', 'a', { at: 1 });
      await append(
        sessionScore('s1'),
        sessionScore('s2', { agentId: 'a' }),
        sessionScore('s3', { runId: 'run-2' }),
      );
      await suite.store.agents.delete('acme', 'a', audited(0));
      expect(await suite.store.sessionScores.removeRun('acme', 'run-1')).toBe(1);
      expect(await suite.store.sessionScores.removeRun('acme', 'run-1')).toBe(0);
      expect(ids((await suite.store.sessionScores.list('acme', {}, { limit: 9 })).items)).toEqual(['s3']);
    });

    it('belong to their org', async () => {
      await append(sessionScore('s1'));
      expect((await suite.store.sessionScores.list('rival', {}, { limit: 9 })).items).toEqual([]);
      expect((await suite.store.sessionScores.worst('rival', {}, { limit: 9 })).items).toEqual([]);
      expect(await suite.store.sessionScores.aggregate('rival', {}, HOUR_MS)).toEqual([]);
      expect(await suite.store.sessionScores.latestOf('rival', ['s1'])).toEqual([]);
      expect(await suite.store.sessionScores.removeRun('rival', 'run-1')).toBe(0);
      expect((await suite.store.sessionScores.scoredBy('rival', 'run-1')).size).toBe(0);
    });
  });
}
