import { describe, expect, it } from 'vitest';
import { evaluation, evaluations } from '../rows.ts';
import type { Suite } from './suite.ts';

export function describeClosing(suite: Suite): void {
  describe('closing', () => {
    it('waits for what is being read and written, and answers it', async () => {
      await suite.store.evaluations.append('acme', evaluations('e', 300));
      const read = Array.from({ length: 20 }, () => suite.store.evaluations.list('acme', {}, { limit: 100 }));
      const written = suite.store.evaluations.append('acme', [evaluation('last')]);
      const exported = suite.store.upkeep.export()[Symbol.asyncIterator]();
      await exported.next();
      let isClosed = false;
      const closed = suite.store.close().then(() => {
        isClosed = true;
      });
      for (const page of await Promise.all(read)) expect(page.items).toHaveLength(100);
      expect((await written).reputations.get('reviewer')?.evalCount).toBe(301);
      expect(isClosed).toBe(false);
      let rows = 1;
      while (!(await exported.next()).done) rows++;
      expect(rows).toBeGreaterThanOrEqual(300);
      await closed;
    });

    it('leaves a part that an engine has not as it is', () => {
      const { backup } = suite.store.upkeep;
      expect(backup === null || typeof backup === 'function').toBe(true);
    });

    it('refuses what comes after, and may be asked for twice', async () => {
      await suite.store.close();
      await suite.store.close();
      const refused = [
        suite.store.evaluations.append('acme', [evaluation('late')]),
        suite.store.evaluations.reputation('acme', 'reviewer'),
        suite.store.upkeep.export()[Symbol.asyncIterator]().next(),
      ];
      for (const answer of await Promise.allSettled(refused)) {
        expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'store_unavailable' } });
      }
    });
  });
}
