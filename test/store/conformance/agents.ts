import { describe, expect, it } from 'vitest';
import { identityIdOf } from '../../../src/core/ids.ts';
import { audited, evaluation, evaluations, reputationEvent } from '../rows.ts';
import { allPages } from './read.ts';
import { START, type Suite } from './suite.ts';

export function describeAgents(suite: Suite): void {
  describe('agents', () => {
    it('are created by their first use, with the identity that is theirs for ever', async () => {
      await suite.store.evaluations.append('acme', [evaluation('e1', { agentId: 'a/../🦊' })]);
      expect(await suite.store.agents.get('acme', 'a/../🦊')).toEqual({
        agentId: 'a/../🦊',
        identityId: identityIdOf('acme', 'a/../🦊'),
        displayName: null,
        isPublic: false,
        createdAt: START,
      });
      expect(await suite.store.agents.get('acme', 'A/../🦊')).toBeNull();
    });

    it('change as asked and no further', async () => {
      const made = await suite.store.agents.put('acme', 'a', { at: 3, displayName: 'Ada', isPublic: true });
      expect(made).toMatchObject({ displayName: 'Ada', isPublic: true, createdAt: 3 });
      const identityId = 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0002';
      expect(await suite.store.agents.put('acme', 'a', { at: 4, identityId })).toEqual({
        ...made,
        identityId,
      });
      expect(await suite.store.agents.get('acme', 'a')).toEqual({ ...made, identityId });
      expect(await suite.store.agents.put('acme', 'a', { at: 5, displayName: null })).toMatchObject({
        displayName: null,
      });
    });

    it('are listed in the order of their ids, page by page', async () => {
      const ids = ['b', 'a', 'ü', '🦊', '\uffee', 'B'];
      for (const agentId of ids) await suite.store.agents.put('acme', agentId, { at: 1 });
      const listed = await allPages((cursor) => suite.store.agents.list('acme', { cursor, limit: 2 }));
      expect(listed.map(({ agentId }) => agentId)).toEqual(['B', 'a', 'b', 'ü', '\uffee', '🦊']);
    });

    it('are deleted with all that hangs on them, and may begin anew', async () => {
      await suite.store.evaluations.append('acme', [
        ...evaluations('e', 3),
        evaluation('other', { agentId: 'b' }),
      ]);
      const identityId = identityIdOf('acme', 'reviewer');
      await suite.store.identities.append('acme', [reputationEvent(1, { identityId })]);
      expect(await suite.store.agents.delete('acme', 'reviewer', audited(0))).toBe(true);
      expect(await suite.store.agents.delete('acme', 'reviewer', audited(1))).toBe(false);
      expect((await suite.store.audit.list('acme', { limit: 9 })).items).toEqual([audited(0)]);
      expect(await suite.store.agents.get('acme', 'reviewer')).toBeNull();
      expect(await suite.store.evaluations.get('acme', 'e-0')).toBeNull();
      expect((await suite.store.evaluations.reputation('acme', 'reviewer')).lifetimeEvaluations).toBe(0);
      expect((await suite.store.identities.score('acme', identityId, START)).totalEvents).toBe(0);
      expect(await suite.store.evaluations.get('acme', 'other')).not.toBeNull();
      const again = await suite.store.evaluations.append('acme', [evaluation('e-0')]);
      expect(again.accepted).toBe(1);
      expect(again.reputations.get('reviewer')?.evalCount).toBe(1);
    });

    it('leave the events of an identity that another agent shares', async () => {
      const { identityId } = await suite.store.agents.put('acme', 'a', { at: 1 });
      await suite.store.agents.put('acme', 'b', { at: 1, identityId });
      await suite.store.identities.append('acme', [reputationEvent(1, { identityId })]);
      await suite.store.agents.delete('acme', 'a', audited(0));
      expect((await suite.store.identities.score('acme', identityId, START)).totalEvents).toBe(1);
    });
  });
}
