import { describe, expect, it } from 'vitest';
import { identityIdOf } from '../../../src/core/ids.ts';
import { audited, evaluation, evaluations, reputationEvent } from '../rows.ts';
import { everything } from './read.ts';
import { START, type Suite } from './suite.ts';

export function describeTenancy(suite: Suite): void {
  describe('orgs never meet', () => {
    it('whichever method tries', async () => {
      const identityId = identityIdOf('acme', 'reviewer');
      await suite.store.evaluations.append('acme', evaluations('e', 3));
      await suite.store.identities.append('acme', [reputationEvent(1, { identityId })]);
      await suite.store.audit.append('acme', audited(1));
      await suite.store.agents.put('acme', 'reviewer', { at: 1, isPublic: true });
      const before = await everything(suite.store);

      expect(await suite.store.agents.get('rival', 'reviewer')).toBeNull();
      expect((await suite.store.agents.list('rival', { limit: 9 })).items).toEqual([]);
      expect(await suite.store.agents.delete('rival', 'reviewer', audited(0))).toBe(false);
      expect(await suite.store.evaluations.get('rival', 'e-0')).toBeNull();
      expect((await suite.store.evaluations.list('rival', {}, { limit: 9 })).items).toEqual([]);
      expect(
        (await suite.store.evaluations.list('rival', { agentId: 'reviewer' }, { limit: 9 })).items,
      ).toEqual([]);
      expect((await suite.store.evaluations.reputation('rival', 'reviewer')).evalCount).toBe(0);
      expect(
        await suite.store.evaluations.void('rival', 'e-0', { audit: audited(0), at: 1, reason: 'spite' }),
      ).toBeNull();
      expect((await suite.store.identities.list('rival', identityId, { limit: 9 })).items).toEqual([]);
      expect((await suite.store.identities.score('rival', identityId, START)).totalEvents).toBe(0);
      expect((await suite.store.audit.list('rival', { limit: 9 })).items).toEqual([]);
      expect(await everything(suite.store)).toEqual(before);

      // The same names in another org are other things.
      expect(
        await suite.store.evaluations.append('rival', [evaluation('e-0', { passed: false })]),
      ).toMatchObject({ accepted: 1 });
      expect(
        await suite.store.identities.append('rival', [reputationEvent(1, { identityId })]),
      ).toMatchObject({ accepted: 1 });
      expect((await suite.store.evaluations.reputation('acme', 'reviewer')).passed).toBe(3);
      expect((await suite.store.evaluations.get('acme', 'e-0'))?.passed).toBe(true);
    });
  });
}
