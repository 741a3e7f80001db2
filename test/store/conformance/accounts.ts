import { describe, expect, it } from 'vitest';
import { audited } from '../rows.ts';
import { START, type Suite } from './suite.ts';

export function describeAccounts(suite: Suite): void {
  describe('orgs and keys', () => {
    const key = (keyId: string, orgId = 'acme') => ({
      keyId,
      orgId,
      kind: 'pk' as const,
      hash: `hash of ${keyId}`,
      hint: 'c0de',
      createdAt: START,
      revokedAt: null,
      lastUsedAt: null,
    });

    it('are found as they were made, and refused when they exist', async () => {
      const org = { orgId: 'acme', name: 'Acme', createdAt: START };
      await suite.store.orgs.create(org);
      expect(await suite.store.orgs.get('acme')).toEqual(org);
      expect(await suite.store.orgs.get('other')).toBeNull();
      await expect(suite.store.orgs.create(org)).rejects.toMatchObject({ code: 'conflict' });
      await suite.store.orgs.create({ ...org, orgId: 'aaa' });
      expect((await suite.store.orgs.list()).map(({ orgId }) => orgId)).toEqual(['aaa', 'acme']);

      await suite.store.keys.create(key('k1'));
      expect(await suite.store.keys.findByHash('hash of k1')).toEqual(key('k1'));
      expect(await suite.store.keys.findByHash('hash of k2')).toBeNull();
      await expect(suite.store.keys.create(key('k1'))).rejects.toMatchObject({ code: 'conflict' });
      await expect(suite.store.keys.create({ ...key('k2'), hash: 'hash of k1' })).rejects.toMatchObject({
        code: 'conflict',
      });
    });

    it('remember the first revocation and the last use, and only their own org can touch them', async () => {
      await suite.store.keys.create(key('k1'), audited(1));
      await suite.store.keys.touch('acme', 'k1', 5);
      await suite.store.keys.touch('acme', 'k1', 3);
      await suite.store.keys.touch('rival', 'k1', 9);
      expect(await suite.store.keys.revoke('rival', 'k1', 7, audited(2))).toBe(false);
      expect(await suite.store.keys.revoke('acme', 'k1', 7, audited(3))).toBe(true);
      expect(await suite.store.keys.revoke('acme', 'k1', 8, audited(4))).toBe(true);
      expect(await suite.store.keys.list('acme')).toEqual([{ ...key('k1'), revokedAt: 7, lastUsedAt: 5 }]);
      expect(await suite.store.keys.list('rival')).toEqual([]);
      expect((await suite.store.audit.list('acme', { limit: 9 })).items).toEqual([audited(3), audited(1)]);
    });
  });
}
