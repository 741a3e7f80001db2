import { describe, expect, it } from 'vitest';
import { audited } from '../rows.ts';
import { allPages, range } from './read.ts';
import type { Suite } from './suite.ts';

export function describeAudit(suite: Suite): void {
  describe('the audit log', () => {
    it('is read newest first, page by page', async () => {
      for (const i of range(0, 6)) await suite.store.audit.append('acme', audited(i));
      const listed = await allPages((cursor) => suite.store.audit.list('acme', { cursor, limit: 3 }));
      expect(listed).toEqual(range(6, 0).map(audited));
    });
  });
}
