import { describe, expect, it } from 'vitest';
import { audited } from '../rows.ts';
import { allPages } from './read.ts';
import type { Suite } from './suite.ts';

export function describeDocuments(suite: Suite): void {
  describe('documents', () => {
    const settings = (body: unknown, expectedVersion?: number) => ({
      kind: 'settings',
      id: 'org',
      body,
      at: 5,
      ...(expectedVersion !== undefined && { expectedVersion }),
    });

    it('are found as they were last written', async () => {
      const { documents } = suite.store;
      expect(await documents.get('acme', 'settings', 'org')).toBeNull();
      const body = { text: 'a "quoted" ü🦊', list: [1, null, true], deep: { er: 0.1 } };
      const written = await documents.put('acme', settings({ first: true }));
      expect(written).toEqual({
        kind: 'settings',
        id: 'org',
        version: 1,
        updatedAt: 5,
        body: { first: true },
      });
      expect((await documents.put('acme', settings(body))).version).toBe(2);
      expect(await documents.get('acme', 'settings', 'org')).toEqual({ ...written, version: 2, body });
      expect(await documents.get('rival', 'settings', 'org')).toBeNull();
      expect(await documents.get('acme', 'settings', 'Org')).toBeNull();
    });

    it('are written by one only of those who expect the same version', async () => {
      const { documents } = suite.store;
      const claims = await Promise.allSettled(
        [1, 2, 3, 4].map((i) => documents.put('acme', settings(i, 0), audited(i))),
      );
      expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const claim of claims) {
        if (claim.status === 'rejected') expect(claim.reason).toMatchObject({ code: 'conflict' });
      }
      const winner = (await documents.get('acme', 'settings', 'org'))?.body;
      const audit = await suite.store.audit.list('acme', { limit: 9 });
      expect(audit.items).toEqual([audited(winner as number)]);
      await expect(documents.put('acme', settings('stale', 2))).rejects.toMatchObject({ code: 'conflict' });
      expect((await documents.put('acme', settings('next', 1))).version).toBe(2);
    });

    it('are listed by kind in the order of their ids, page by page, in their org', async () => {
      const { documents } = suite.store;
      for (const id of ['b', 'a', 'c']) await documents.put('acme', { kind: 'monitor', id, body: id, at: 1 });
      await documents.put('acme', settings('other kind'));
      await documents.put('rival', { kind: 'monitor', id: 'x', body: 1, at: 1 });
      const listed = await allPages((cursor) => documents.list('acme', 'monitor', { cursor, limit: 2 }));
      expect(listed.map(({ body }) => body)).toEqual(['a', 'b', 'c']);
      const turned = await allPages((cursor) =>
        documents.list('acme', 'monitor', { cursor, limit: 2, descending: true }),
      );
      expect(turned.map(({ body }) => body)).toEqual(['c', 'b', 'a']);
    });

    it('are gone once deleted or expired, may be written again, and only their own org can delete them', async () => {
      const { documents } = suite.store;
      await documents.put('acme', settings('one'));
      expect(await documents.delete('rival', 'settings', 'org', audited(1))).toBe(false);
      expect(await documents.delete('acme', 'settings', 'org', audited(2))).toBe(true);
      expect(await documents.delete('acme', 'settings', 'org', audited(3))).toBe(false);
      expect(await documents.get('acme', 'settings', 'org')).toBeNull();
      expect((await documents.put('acme', settings('two', 0))).body).toBe('two');
      expect((await suite.store.audit.list('acme', { limit: 9 })).items).toEqual([audited(2)]);
      await documents.put('acme', { kind: 'settings', id: 'late', body: 1, at: 6 });
      expect(await documents.expire('monitor', 9)).toBe(0);
      expect(await documents.expire('settings', 6)).toBe(1);
      const left = await documents.list('acme', 'settings', { limit: 9 });
      expect(left.items.map(({ id }) => id)).toEqual(['late']);
    });
  });
}
