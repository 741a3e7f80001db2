import { describe, expect, it } from 'vitest';
import { audited, evaluation, signalReport } from '../rows.ts';
import { allPages, range } from './read.ts';
import { START, type Suite } from './suite.ts';

export function describeSignals(suite: Suite): void {
  describe('signals', () => {
    const append = (...batch: ReturnType<typeof signalReport>[]) => suite.store.signals.append('acme', batch);
    const read = async (sessionId = 's1') =>
      (await suite.store.signals.read('acme', [sessionId])).get(sessionId);

    it('let later values replace earlier ones, and keep both in the history', async () => {
      expect(
        await append(
          signalReport('t1', { signals: { confidence: 0.2, coherence: 0.7 }, source: 'first' }),
          signalReport('t2', { signals: {}, tags: ['b'] }),
        ),
      ).toEqual({ accepted: 2, unchanged: 0 });
      await append(
        signalReport('t1', {
          signals: { confidence: 0.9 },
          source: 'second',
          agentId: 'reviewer',
          tags: ['a'],
        }),
      );
      const session = await read();
      expect(session).toMatchObject({ sessionId: 's1', agentId: 'reviewer', tags: ['a', 'b'], revision: 3 });
      expect(session?.traces.map(({ traceId, signals, sources }) => ({ traceId, signals, sources }))).toEqual(
        [
          {
            traceId: 't1',
            signals: { confidence: 0.9, coherence: 0.7 },
            sources: { confidence: 'second', coherence: 'first' },
          },
          { traceId: 't2', signals: {}, sources: {} },
        ],
      );
      const history = await allPages((cursor) =>
        suite.store.signals.history('acme', 's1', { cursor, limit: 2 }),
      );
      expect(history.map(({ traceId, signals }) => [traceId, signals.confidence])).toEqual([
        ['t1', 0.9],
        ['t2', undefined],
        ['t1', 0.2],
      ]);
      expect((await suite.store.agents.get('acme', 'reviewer'))?.agentId).toBe('reviewer');
    });

    it('take a repeated report once, and one that goes back to an earlier value again', async () => {
      const low = signalReport('t1', { signals: { confidence: 0.2 }, startedAt: 5, tags: ['x'] });
      const high = signalReport('t1', { signals: { confidence: 0.9 } });
      await append(low);
      expect(await append(low)).toEqual({ accepted: 0, unchanged: 1 });
      expect(await append(high, signalReport('t2'))).toEqual({ accepted: 2, unchanged: 0 });
      expect(await append(low)).toEqual({ accepted: 1, unchanged: 0 });
      expect((await read())?.traces[0]?.signals.confidence).toBe(0.2);
      expect((await read())?.revision).toBe(4);
    });

    it('show a session as it was after any of its reports', async () => {
      for (const i of range(1, 3)) await append(signalReport('t1', { signals: { confidence: i / 10 } }));
      const at = async (revision: number) =>
        (await suite.store.signals.readAt('acme', 's1', revision))?.traces[0]?.signals.confidence;
      expect([await at(1), await at(2), await at(3)]).toEqual([0.1, 0.2, 0.3]);
      expect(await suite.store.signals.readAt('acme', 's1', 4)).toBeNull();
      expect(await suite.store.signals.readAt('acme', 's1', 0)).toBeNull();
      expect(await suite.store.signals.readAt('acme', 'unknown', 1)).toBeNull();
      expect((await suite.store.signals.read('acme', ['unknown'])).size).toBe(0);
    });

    it('select sessions by everything that a filter can say', async () => {
      const on = (sessionId: string, traceId: string, given = {}) =>
        signalReport(traceId, { sessionId, ...given });
      await append(
        on('s1', 't1', { agentId: 'a', startedAt: START - 5000, tags: ['red', 'big'] }),
        on('s2', 't1', { agentId: 'b', startedAt: START - 1000, tags: ['red'] }),
        on('s2', 't2', { signals: { tool_correctness: 0.5 }, startedAt: START - 2000 }),
        on('s3', 't1', { signals: { tool_correctness: 0.5 }, startedAt: START - 1000 }),
      );
      await append(on('s3', 't1', { signals: { tool_correctness: 1 }, startedAt: START - 1000 }));
      await suite.store.evaluations.append('acme', [
        evaluation('e1', { passed: false, sessionId: 's1' }),
        evaluation('e2', { passed: false, sessionId: 's3' }),
      ]);
      await suite.store.evaluations.void('acme', 'e2', { at: 1, reason: 'test', audit: audited(0) });
      const select = async (filter: Parameters<typeof suite.store.signals.select>[1]) =>
        (await suite.store.signals.select('acme', filter, 10)).map(({ sessionId }) => sessionId);
      expect(await suite.store.signals.select('acme', {}, 2)).toEqual([
        { sessionId: 's1', traces: 1 },
        { sessionId: 's2', traces: 2 },
      ]);
      expect(await select({ agentId: 'a' })).toEqual(['s1']);
      expect(await select({ agentId: 'nobody' })).toEqual([]);
      expect(await select({ tags: ['red'] })).toEqual(['s1', 's2']);
      expect(await select({ tags: ['red', 'big'] })).toEqual(['s1']);
      expect(await select({ from: START - 1000 })).toEqual(['s2', 's3']);
      expect(await select({ to: START - 1000 })).toEqual(['s1']);
      expect(await select({ tracesMin: 2 })).toEqual(['s2']);
      expect(await select({ hasErrors: true })).toEqual(['s1', 's2']);
      expect(await select({ hasErrors: false })).toEqual(['s3']);
      expect(await select({ sessionIds: ['s3', 's1', 'none'] })).toEqual(['s1', 's3']);
    });

    it('go with their agent when it is deleted', async () => {
      await append(signalReport('t1', { agentId: 'a' }), signalReport('t2', { sessionId: 's2' }));
      await suite.store.agents.delete('acme', 'a', audited(0));
      expect(await suite.store.signals.select('acme', {}, 9)).toEqual([{ sessionId: 's2', traces: 1 }]);
    });

    it('belong to their org', async () => {
      await append(signalReport('t1'));
      expect((await suite.store.signals.read('rival', ['s1'])).size).toBe(0);
      expect((await suite.store.signals.history('rival', 's1', { limit: 9 })).items).toEqual([]);
      expect(await suite.store.signals.select('rival', {}, 9)).toEqual([]);
      expect(await suite.store.signals.append('rival', [signalReport('t1')])).toEqual({
        accepted: 1,
        unchanged: 0,
      });
    });
  });
}
