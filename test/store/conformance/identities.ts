import { describe, expect, it } from 'vitest';
import { scoreIdentity } from '../../../src/core/identity.ts';
import { eventIdOf, reputationEvent } from '../rows.ts';
import { allPages, range } from './read.ts';
import { START, type Suite } from './suite.ts';

export function describeIdentities(suite: Suite): void {
  describe('identities', () => {
    const identityId = 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0001';

    it('are scored as core scores their events, both trends included', async () => {
      const events = Array.from({ length: 300 }, (_, i) =>
        reputationEvent(i, {
          timestamp: START - i * 11_111_111 * 3,
          category: (['task_quality', 'economic', 'identity_hygiene'] as const)[i % 3] ?? 'economic',
          scoreDelta: ((i * 37) % 19) / 10 - 0.9,
        }),
      );
      expect(await suite.store.identities.append('acme', events.slice(0, 200))).toEqual({
        accepted: 200,
        duplicates: [],
      });
      await suite.store.identities.append('acme', events.slice(200));
      const score = await suite.store.identities.score('acme', identityId, START);
      const expected = scoreIdentity(events, START);
      expect(Object.keys(score)).toEqual(Object.keys(expected));
      expect(score.overallScore).toBeCloseTo(expected.overallScore, 9);
      expect(score.score7dAgo).toBeCloseTo(expected.score7dAgo, 9);
      expect(score.score30dAgo).toBeCloseTo(expected.score30dAgo, 9);
      expect(score).toMatchObject({
        totalEvents: expected.totalEvents,
        positiveEvents: expected.positiveEvents,
        negativeEvents: expected.negativeEvents,
      });
    });

    it('count an event once, and its highest revision only, in whatever order they came', async () => {
      const revised = (revision: number, scoreDelta: number) => reputationEvent(1, { revision, scoreDelta });
      expect(await suite.store.identities.append('acme', [revised(1, 0.9), revised(1, 0.1)])).toEqual({
        accepted: 1,
        duplicates: [eventIdOf(1)],
      });
      await suite.store.identities.append('acme', [revised(0, -1), reputationEvent(2, { scoreDelta: 0.1 })]);
      expect(await suite.store.identities.append('acme', [revised(1, 0.5)])).toEqual({
        accepted: 0,
        duplicates: [eventIdOf(1)],
      });
      const score = await suite.store.identities.score('acme', identityId, START);
      expect(score).toMatchObject({ totalEvents: 2, negativeEvents: 0 });
      expect(score.categoryScores.task_quality).toBeCloseTo(0.5, 9);
      const { items } = await suite.store.identities.list('acme', identityId, { limit: 10 });
      expect(items.map(({ eventId, revision }) => [eventId, revision])).toEqual([
        [eventIdOf(2), 0],
        [eventIdOf(1), 1],
      ]);
    });

    it('do not count an event whose highest revision is of another, whichever came first', async () => {
      const other = 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0002';
      const counted = async () =>
        Promise.all(
          [identityId, other].map(async (identity) => {
            const { totalEvents } = await suite.store.identities.score('acme', identity, START);
            const { items } = await suite.store.identities.list('acme', identity, { limit: 10 });
            return [totalEvents, items.map(({ eventId, revision }) => `${eventId.slice(-1)}.${revision}`)];
          }),
        );
      await suite.store.identities.append('acme', [reputationEvent(1), reputationEvent(2)]);
      await suite.store.identities.append('acme', [
        reputationEvent(1, { identityId: other, revision: 2 }),
        reputationEvent(3, { identityId: other, revision: 1 }),
      ]);
      await suite.store.identities.append('acme', [reputationEvent(3), reputationEvent(1, { revision: 1 })]);
      expect(await counted()).toEqual([
        [1, ['2.0']],
        [2, ['3.1', '1.2']],
      ]);
      await suite.store.identities.append('acme', [reputationEvent(1, { revision: 3 })]);
      // The same id in another org is another event.
      await suite.store.identities.append('rival', [reputationEvent(2, { identityId: other, revision: 9 })]);
      expect(await counted()).toEqual([
        [2, ['2.0', '1.3']],
        [1, ['3.1']],
      ]);
      if (suite.engine.reopen) suite.store = await suite.engine.reopen(suite.store);
      expect(await counted()).toEqual([
        [2, ['2.0', '1.3']],
        [1, ['3.1']],
      ]);
    });

    it('list their events newest first, page by page', async () => {
      const events = range(0, 8).map((i) =>
        reputationEvent(i, { timestamp: START - (i % 3) * 1000, attributes: { i: String(i) } }),
      );
      await suite.store.identities.append('acme', events);
      const listed = await allPages((cursor) =>
        suite.store.identities.list('acme', identityId, { cursor, limit: 2 }),
      );
      expect(listed.map(({ eventId }) => eventId)).toEqual([6, 3, 0, 7, 4, 1, 8, 5, 2].map(eventIdOf));
      expect(listed[1]).toEqual(events[3]);
    });
  });
}
