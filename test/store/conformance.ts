/**
 * The promises of src/store/store.ts, one test each, over whatever engine is handed in. An engine's own test file is one
 * call of this suite.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { scoreIdentity } from '../../src/core/identity.ts';
import { identityIdOf } from '../../src/core/ids.ts';
import { reputationOf } from '../../src/core/reputation.ts';
import { toCounted } from '../../src/store/evaluation-window.ts';
import type { Evaluation, LedgerRow, Page, Store } from '../../src/store/store.ts';
import { evaluation, evaluations, reputationEvent } from './rows.ts';

export interface Engine {
  /** A ledger with nothing in it. Its clock begins at START and moves on by one with each look. */
  open(): Promise<Store>;
  /** Closes a ledger and opens it again, as a restart does; null for an engine that forgets. */
  reopen: ((store: Store) => Promise<Store>) | null;
}

const START = 1_780_000_000_000;

export function createClock(): () => number {
  let now = START;
  return () => now++;
}

export function describeConformance(name: string, engine: Engine): void {
  describe(name, () => {
    let store: Store;
    beforeEach(async () => {
      store = await engine.open();
      return () => store.close();
    });

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
        await store.orgs.create(org);
        expect(await store.orgs.get('acme')).toEqual(org);
        expect(await store.orgs.get('other')).toBeNull();
        await expect(store.orgs.create(org)).rejects.toMatchObject({ code: 'conflict' });
        await store.orgs.create({ ...org, orgId: 'aaa' });
        expect((await store.orgs.list()).map(({ orgId }) => orgId)).toEqual(['aaa', 'acme']);

        await store.keys.create(key('k1'));
        expect(await store.keys.findByHash('hash of k1')).toEqual(key('k1'));
        expect(await store.keys.findByHash('hash of k2')).toBeNull();
        await expect(store.keys.create(key('k1'))).rejects.toMatchObject({ code: 'conflict' });
        await expect(store.keys.create({ ...key('k2'), hash: 'hash of k1' })).rejects.toMatchObject({
          code: 'conflict',
        });
      });

      it('remember the first revocation and the last use, and only their own org can touch them', async () => {
        await store.keys.create(key('k1'));
        await store.keys.touch('acme', 'k1', 5);
        await store.keys.touch('acme', 'k1', 3);
        await store.keys.touch('rival', 'k1', 9);
        expect(await store.keys.revoke('rival', 'k1', 7)).toBe(false);
        expect(await store.keys.revoke('acme', 'k1', 7)).toBe(true);
        expect(await store.keys.revoke('acme', 'k1', 8)).toBe(true);
        expect(await store.keys.list('acme')).toEqual([{ ...key('k1'), revokedAt: 7, lastUsedAt: 5 }]);
        expect(await store.keys.list('rival')).toEqual([]);
      });
    });

    describe('agents', () => {
      it('are created by their first use, with the identity that is theirs for ever', async () => {
        await store.evaluations.append('acme', [evaluation('e1', { agentId: 'a/../🦊' })]);
        expect(await store.agents.get('acme', 'a/../🦊')).toEqual({
          agentId: 'a/../🦊',
          identityId: identityIdOf('acme', 'a/../🦊'),
          displayName: null,
          isPublic: false,
          createdAt: START,
        });
        expect(await store.agents.get('acme', 'A/../🦊')).toBeNull();
      });

      it('change as asked and no further', async () => {
        const made = await store.agents.put('acme', 'a', { at: 3, displayName: 'Ada', isPublic: true });
        expect(made).toMatchObject({ displayName: 'Ada', isPublic: true, createdAt: 3 });
        const identityId = 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0002';
        expect(await store.agents.put('acme', 'a', { at: 4, identityId })).toEqual({ ...made, identityId });
        expect(await store.agents.get('acme', 'a')).toEqual({ ...made, identityId });
        expect(await store.agents.put('acme', 'a', { at: 5, displayName: null })).toMatchObject({
          displayName: null,
        });
      });

      it('are listed in the order of their ids, page by page', async () => {
        const ids = ['b', 'a', 'ü', '🦊', '\uffee', 'B'];
        for (const agentId of ids) await store.agents.put('acme', agentId, { at: 1 });
        const listed = await allPages((cursor) => store.agents.list('acme', { cursor, limit: 2 }));
        expect(listed.map(({ agentId }) => agentId)).toEqual(['B', 'a', 'b', 'ü', '\uffee', '🦊']);
      });

      it('are deleted with all that hangs on them, and may begin anew', async () => {
        await store.evaluations.append('acme', [
          ...evaluations('e', 3),
          evaluation('other', { agentId: 'b' }),
        ]);
        const identityId = identityIdOf('acme', 'reviewer');
        await store.identities.append('acme', [reputationEvent('r1', { identityId })]);
        expect(await store.agents.delete('acme', 'reviewer')).toBe(true);
        expect(await store.agents.delete('acme', 'reviewer')).toBe(false);
        expect(await store.agents.get('acme', 'reviewer')).toBeNull();
        expect(await store.evaluations.get('acme', 'e-0')).toBeNull();
        expect((await store.evaluations.reputation('acme', 'reviewer')).lifetimeEvaluations).toBe(0);
        expect((await store.identities.score('acme', identityId, START)).totalEvents).toBe(0);
        expect(await store.evaluations.get('acme', 'other')).not.toBeNull();
        const again = await store.evaluations.append('acme', [evaluation('e-0')]);
        expect(again.accepted).toBe(1);
        expect(again.reputations.get('reviewer')?.evalCount).toBe(1);
      });

      it('leave the events of an identity that another agent shares', async () => {
        const { identityId } = await store.agents.put('acme', 'a', { at: 1 });
        await store.agents.put('acme', 'b', { at: 1, identityId });
        await store.identities.append('acme', [reputationEvent('r1', { identityId })]);
        await store.agents.delete('acme', 'a');
        expect((await store.identities.score('acme', identityId, START)).totalEvents).toBe(1);
      });
    });

    describe('evaluations', () => {
      it('come back as they were sent, with the time the ledger received them', async () => {
        const rich = evaluation('e1', {
          tool: 'read "file"',
          passed: false,
          gates: [
            {
              name: 'pii',
              outcome: 'failed',
              latencyMs: 0.3,
              reason: 'an e-mail address; "quoted", [bracketed]',
            },
            { name: 'schema', outcome: 'aborted', latencyMs: 0, reason: null },
          ],
          totalLatencyMs: 0.30000000000000004,
          latencyMs: 1234.5,
          source: 'proxy',
          knownAs: 'signed',
          direction: 'response',
          suiteHash: 'abc',
          sampleRate: 0.25,
          model: 'm',
          version: 'v',
          sessionId: 's',
          traceId: 't',
          tags: ['x', 'ü,"y"'],
          occurredAt: 5,
        });
        await store.evaluations.append('acme', [rich]);
        expect(await store.evaluations.get('acme', 'e1')).toEqual({
          ...rich,
          receivedAt: START,
          voided: null,
        });
        expect(await store.evaluations.get('acme', 'e2')).toBeNull();
      });

      it('count once however often they are sent: within a batch, in another, at the same time', async () => {
        const first = await store.evaluations.append('acme', [
          evaluation('e1'),
          evaluation('e1', { passed: false }),
          evaluation('e2'),
        ]);
        expect(first).toMatchObject({ accepted: 2, duplicates: ['e1'] });
        const again = await store.evaluations.append('acme', [
          evaluation('e2', { passed: false }),
          evaluation('e3'),
        ]);
        expect(again).toMatchObject({ accepted: 1, duplicates: ['e2'] });
        const racing = await Promise.all(
          [1, 2, 3].map(() => store.evaluations.append('acme', [evaluation('e4')])),
        );
        expect(racing.map(({ accepted }) => accepted).sort()).toEqual([0, 0, 1]);
        expect(await store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
          evalCount: 4,
          passed: 4,
        });
        expect((await store.evaluations.get('acme', 'e2'))?.passed).toBe(true);
      });

      it('make the window of their agent in order of arrival, whatever their own clock says', async () => {
        const batch = Array.from({ length: 1_203 }, (_, i) =>
          evaluation(`e${i}`, {
            passed: i % 7 !== 0,
            totalLatencyMs: i / 10,
            latencyMs: i % 3 ? i : null,
            occurredAt: -i,
          }),
        );
        const expected = (upTo: number) => reputationOf(batch.slice(0, upTo).map(toCounted));
        expect(
          (await store.evaluations.append('acme', batch.slice(0, 700))).reputations.get('reviewer'),
        ).toEqual(expected(700));
        expect(
          (await store.evaluations.append('acme', batch.slice(700))).reputations.get('reviewer'),
        ).toEqual(expected(1_203));
        expect(await store.evaluations.reputation('acme', 'reviewer')).toEqual(expected(1_203));
      });

      it('that do not count are kept, and change no score', async () => {
        await store.evaluations.append('acme', evaluations('e', 5));
        const before = await store.evaluations.reputation('acme', 'reviewer');
        await store.evaluations.append('acme', [evaluation('slow', { counts: false, passed: false })]);
        expect(await store.evaluations.reputation('acme', 'reviewer')).toEqual(before);
        expect((await store.evaluations.get('acme', 'slow'))?.counts).toBe(false);
      });

      it('are taken all or not at all', async () => {
        const bad = [evaluation('good'), evaluation('bad', { totalLatencyMs: -1 })];
        await expect(store.evaluations.append('acme', bad)).rejects.toMatchObject({
          code: 'invalid_request',
        });
        expect(await store.evaluations.get('acme', 'good')).toBeNull();
        expect(await store.agents.get('acme', 'reviewer')).toBeNull();
      });

      it('of an agent nobody knows make a score of zero', async () => {
        expect(await store.evaluations.reputation('acme', 'nobody')).toEqual(reputationOf([]));
      });

      it('leave the window when they are voided, and the older one comes back', async () => {
        const batch = Array.from({ length: 510 }, (_, i) =>
          evaluation(`e${i}`, { passed: i !== 9, totalLatencyMs: i }),
        );
        await store.evaluations.append('acme', batch);
        const voided = await store.evaluations.void('acme', 'e300', { at: 7, reason: 'a broken gate' });
        expect(voided).toMatchObject({ evaluationId: 'e300', voided: { at: 7, reason: 'a broken gate' } });
        const left = batch.filter(({ evaluationId }) => evaluationId !== 'e300').map(toCounted);
        expect(await store.evaluations.reputation('acme', 'reviewer')).toEqual(reputationOf(left));
        expect(await store.evaluations.void('acme', 'e300', { at: 8, reason: 'again' })).toEqual(voided);
        expect(await store.evaluations.get('acme', 'e300')).toEqual(voided);
        expect(await store.evaluations.reputation('acme', 'reviewer')).toEqual(reputationOf(left));
        expect(await store.evaluations.void('acme', 'nothing', { at: 8, reason: '' })).toBeNull();
        const next = await store.evaluations.append('acme', [evaluation('next', { passed: false })]);
        expect(next.reputations.get('reviewer')).toEqual(
          reputationOf([...left, toCounted(evaluation('next', { passed: false }))]),
        );
      });

      it('are voided once, however many ask at the same time', async () => {
        await store.evaluations.append('acme', evaluations('e', 5));
        const asked = await Promise.all(
          [1, 2, 3].map((at) => store.evaluations.void('acme', 'e-2', { at, reason: `${at}` })),
        );
        expect(new Set(asked.map((one) => one?.voided?.at)).size).toBe(1);
        expect((await store.evaluations.reputation('acme', 'reviewer')).lifetimeEvaluations).toBe(4);
        expect((await store.evaluations.list('acme', {}, { limit: 10 })).items).toHaveLength(5);
      });

      it('and what is done to their agent at the same time end as if done one after another', async () => {
        await Promise.all([
          store.evaluations.append('acme', evaluations('e', 5)),
          store.agents.put('acme', 'reviewer', { at: 1, displayName: 'first' }),
          store.agents.put('acme', 'reviewer', { at: 1, isPublic: true }),
          store.evaluations.void('acme', 'e-1', { at: 1, reason: 'at once' }),
          store.evaluations.append('acme', evaluations('gone', 3, { agentId: 'short-lived' })),
          store.agents.delete('acme', 'short-lived'),
        ]);
        const rows = await everything(store);
        expect(rows.filter(({ kind }) => kind === 'agent')).toEqual([
          {
            kind: 'agent',
            orgId: 'acme',
            row: expect.objectContaining({ displayName: 'first', isPublic: true }),
          },
        ]);
        expect(await store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
          evalCount: 4,
          lifetimeEvaluations: 4,
        });
        expect(await store.evaluations.reputation('acme', 'short-lived')).toMatchObject({
          lifetimeEvaluations: 0,
        });
        if (engine.reopen) store = await engine.reopen(store);
        expect(await everything(store)).toEqual(rows);
        expect(await store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
          evalCount: 4,
          lifetimeEvaluations: 4,
        });
      });

      it('are listed newest first, and pages do not shift while others arrive', async () => {
        await store.evaluations.append('acme', evaluations('old', 25));
        const first = await store.evaluations.list('acme', {}, { limit: 10 });
        expect(first.items.map(({ evaluationId }) => evaluationId)).toEqual(
          range(24, 15).map((i) => `old-${i}`),
        );
        await store.evaluations.append('acme', evaluations('new', 5));
        const rest = await allPages((cursor) =>
          store.evaluations.list('acme', {}, { cursor: cursor ?? first.nextCursor, limit: 4 }),
        );
        expect(rest.map(({ evaluationId }) => evaluationId)).toEqual(range(14, 0).map((i) => `old-${i}`));
      });

      it('are found by every filter, alone and together', async () => {
        const gate = (name: string) => [
          { name, outcome: 'passed' as const, latencyMs: 0, reason: '["pii",' },
        ];
        const sent: Evaluation[] = [
          evaluation('e0', {
            agentId: 'a',
            tool: 'read',
            gates: gate('pii'),
            source: 'sdk',
            sessionId: 's1',
          }),
          evaluation('e1', {
            agentId: 'a',
            tool: 'write',
            gates: gate('pii2'),
            passed: false,
            source: 'proxy',
          }),
          evaluation('e2', {
            agentId: 'b',
            tool: 'read',
            gates: gate('sch"ema'),
            source: 'api',
            sessionId: 's1',
          }),
        ];
        await store.evaluations.append('acme', sent);
        const ids = async (filter: object) =>
          (await store.evaluations.list('acme', filter, { limit: 10 })).items.map(
            ({ evaluationId }) => evaluationId,
          );
        expect(await ids({ agentId: 'a' })).toEqual(['e1', 'e0']);
        expect(await ids({ agentId: 'nobody' })).toEqual([]);
        expect(await ids({ tool: 'read' })).toEqual(['e2', 'e0']);
        expect(await ids({ gate: 'pii' })).toEqual(['e0']);
        expect(await ids({ gate: 'sch"ema' })).toEqual(['e2']);
        expect(await ids({ passed: false })).toEqual(['e1']);
        expect(await ids({ source: 'proxy' })).toEqual(['e1']);
        expect(await ids({ sessionId: 's1' })).toEqual(['e2', 'e0']);
        expect(await ids({ from: START + 1 })).toEqual(['e2', 'e1']);
        expect(await ids({ to: START + 1 })).toEqual(['e0']);
        expect(await ids({ agentId: 'a', passed: true, tool: 'read', from: START, to: START + 9 })).toEqual([
          'e0',
        ]);
      });
    });

    describe('identities', () => {
      const identityId = 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0001';

      it('are scored as core scores their events, both trends included', async () => {
        const events = Array.from({ length: 300 }, (_, i) =>
          reputationEvent(`r${i}`, {
            timestamp: START - i * 11_111_111 * 3,
            category: (['task_quality', 'economic', 'identity_hygiene'] as const)[i % 3] ?? 'economic',
            scoreDelta: ((i * 37) % 19) / 10 - 0.9,
          }),
        );
        expect(await store.identities.append('acme', events.slice(0, 200))).toEqual({
          accepted: 200,
          duplicates: [],
        });
        await store.identities.append('acme', events.slice(200));
        const score = await store.identities.score('acme', identityId, START);
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
        const revised = (revision: number, scoreDelta: number) =>
          reputationEvent('r1', { revision, scoreDelta });
        expect(await store.identities.append('acme', [revised(1, 0.9), revised(1, 0.1)])).toEqual({
          accepted: 1,
          duplicates: ['r1'],
        });
        await store.identities.append('acme', [revised(0, -1), reputationEvent('r2', { scoreDelta: 0.1 })]);
        expect(await store.identities.append('acme', [revised(1, 0.5)])).toEqual({
          accepted: 0,
          duplicates: ['r1'],
        });
        const score = await store.identities.score('acme', identityId, START);
        expect(score).toMatchObject({ totalEvents: 2, negativeEvents: 0 });
        expect(score.categoryScores.task_quality).toBeCloseTo(0.5, 9);
        const { items } = await store.identities.list('acme', identityId, { limit: 10 });
        expect(items.map(({ eventId, revision }) => [eventId, revision])).toEqual([
          ['r2', 0],
          ['r1', 1],
        ]);
      });

      it('list their events newest first, page by page', async () => {
        const events = range(0, 8).map((i) =>
          reputationEvent(`r${i}`, { timestamp: START - (i % 3) * 1000, attributes: { i: String(i) } }),
        );
        await store.identities.append('acme', events);
        const listed = await allPages((cursor) =>
          store.identities.list('acme', identityId, { cursor, limit: 2 }),
        );
        expect(listed.map(({ eventId }) => eventId)).toEqual([
          'r6',
          'r3',
          'r0',
          'r7',
          'r4',
          'r1',
          'r8',
          'r5',
          'r2',
        ]);
        expect(listed[1]).toEqual(events[3]);
      });
    });

    describe('the audit log', () => {
      it('is read newest first, page by page', async () => {
        for (const i of range(0, 6)) await store.audit.append('acme', audited(i));
        const listed = await allPages((cursor) => store.audit.list('acme', { cursor, limit: 3 }));
        expect(listed).toEqual(range(6, 0).map(audited));
      });
    });

    describe('orgs never meet', () => {
      it('whichever method tries', async () => {
        const identityId = identityIdOf('acme', 'reviewer');
        await store.evaluations.append('acme', evaluations('e', 3));
        await store.identities.append('acme', [reputationEvent('r1', { identityId })]);
        await store.audit.append('acme', audited(1));
        await store.agents.put('acme', 'reviewer', { at: 1, isPublic: true });
        const before = await everything(store);

        expect(await store.agents.get('rival', 'reviewer')).toBeNull();
        expect((await store.agents.list('rival', { limit: 9 })).items).toEqual([]);
        expect(await store.agents.delete('rival', 'reviewer')).toBe(false);
        expect(await store.evaluations.get('rival', 'e-0')).toBeNull();
        expect((await store.evaluations.list('rival', {}, { limit: 9 })).items).toEqual([]);
        expect((await store.evaluations.list('rival', { agentId: 'reviewer' }, { limit: 9 })).items).toEqual(
          [],
        );
        expect((await store.evaluations.reputation('rival', 'reviewer')).evalCount).toBe(0);
        expect(await store.evaluations.void('rival', 'e-0', { at: 1, reason: 'spite' })).toBeNull();
        expect((await store.identities.list('rival', identityId, { limit: 9 })).items).toEqual([]);
        expect((await store.identities.score('rival', identityId, START)).totalEvents).toBe(0);
        expect((await store.audit.list('rival', { limit: 9 })).items).toEqual([]);
        expect(await everything(store)).toEqual(before);

        // The same names in another org are other things.
        expect(await store.evaluations.append('rival', [evaluation('e-0', { passed: false })])).toMatchObject(
          { accepted: 1 },
        );
        expect(await store.identities.append('rival', [reputationEvent('r1', { identityId })])).toMatchObject(
          { accepted: 1 },
        );
        expect((await store.evaluations.reputation('acme', 'reviewer')).passed).toBe(3);
        expect((await store.evaluations.get('acme', 'e-0'))?.passed).toBe(true);
      });
    });

    describe('upkeep', () => {
      const policy = { evaluationsMs: 1000, reputationEventsMs: 1000, auditMs: 1000 };

      it('removes what is old but for the last 500 of each agent, and keeps the lifetime count', async () => {
        await store.evaluations.append('acme', [
          ...evaluations('e', 600),
          evaluation('x', { counts: false }),
          ...evaluations('f', 3, { agentId: 'b' }),
        ]);
        await store.identities.append('acme', [
          reputationEvent('r1', { timestamp: START }),
          reputationEvent('r2', { timestamp: START + 9_500 }),
        ]);
        await store.audit.append('acme', { ...audited(1), at: START });
        const before = await store.evaluations.reputation('acme', 'reviewer');
        expect(await store.upkeep.prune(policy, START + 10_000)).toEqual({
          evaluations: 101,
          reputationEvents: 1,
          auditEntries: 1,
        });
        expect(await store.evaluations.reputation('acme', 'reviewer')).toEqual(before);
        expect(await store.evaluations.get('acme', 'e-99')).toBeNull();
        expect(await store.evaluations.get('acme', 'e-100')).not.toBeNull();
        expect(await store.evaluations.get('acme', 'f-0')).not.toBeNull();
        expect(
          await store.upkeep.prune(
            { evaluationsMs: null, reputationEventsMs: null, auditMs: null },
            START + 1e9,
          ),
        ).toEqual({
          evaluations: 0,
          reputationEvents: 0,
          auditEntries: 0,
        });
        await store.evaluations.void('acme', 'e-599', { at: 1, reason: 'test' });
        expect(await store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
          evalCount: 499,
          lifetimeEvaluations: 599,
        });
      });

      it('exports everything, and restores it elsewhere, once', async () => {
        await store.orgs.create({ orgId: 'acme', name: 'Acme', createdAt: 1 });
        await store.keys.create({
          keyId: 'k',
          orgId: 'acme',
          kind: 'sk',
          hash: 'h',
          hint: 'x',
          createdAt: 1,
          revokedAt: null,
          lastUsedAt: 4,
        });
        await store.evaluations.append('acme', evaluations('e', 620, { tags: ['t'] }));
        await store.evaluations.append('rival', evaluations('e', 2));
        await store.evaluations.void('acme', 'e-610', { at: 9, reason: 'why not' });
        await store.upkeep.prune({ ...policy, reputationEventsMs: null }, START + 100_000);
        await store.identities.append('acme', [
          reputationEvent('r1'),
          reputationEvent('r1', { revision: 2 }),
        ]);
        await store.audit.append('acme', audited(3));
        const rows = await everything(store);
        const reputation = await store.evaluations.reputation('acme', 'reviewer');
        expect(reputation.lifetimeEvaluations).toBe(619);

        const other = await engine.open();
        expect(await other.upkeep.restore(stream(rows))).toEqual({ restored: rows.length, present: 0 });
        expect(await everything(other)).toEqual(rows);
        expect(await other.evaluations.reputation('acme', 'reviewer')).toEqual(reputation);
        expect(await other.upkeep.restore(stream(rows))).toEqual({ restored: 0, present: rows.length });
        await other.close();
      });
    });

    const { reopen } = engine;
    if (reopen === null) return;
    describe('a restart', () => {
      it('after the newest evaluations were removed counts those that come next', async () => {
        await store.evaluations.append('acme', [
          evaluation('kept'),
          ...evaluations('old', 5, { counts: false }),
        ]);
        await store.upkeep.prune({ evaluationsMs: 0, reputationEventsMs: null, auditMs: null }, START + 1e6);
        store = await reopen(store);
        const next = await store.evaluations.append('acme', [evaluation('next')]);
        expect(next.reputations.get('reviewer')).toMatchObject({ evalCount: 2, lifetimeEvaluations: 2 });
      });

      it('loses nothing, counts nothing twice and goes on where it was', async () => {
        const batch = Array.from({ length: 777 }, (_, i) =>
          evaluation(`e${i}`, { passed: i % 5 !== 0, totalLatencyMs: i / 7 }),
        );
        await store.evaluations.append('acme', batch);
        await store.evaluations.void('acme', 'e700', { at: 1, reason: 'test' });
        await store.identities.append('acme', [reputationEvent('r1')]);
        const rows = await everything(store);
        const reputation = await store.evaluations.reputation('acme', 'reviewer');
        store = await reopen(store);
        expect(await everything(store)).toEqual(rows);
        expect(await store.evaluations.reputation('acme', 'reviewer')).toEqual(reputation);
        expect(await store.evaluations.append('acme', batch.slice(0, 3))).toMatchObject({
          accepted: 0,
          duplicates: ['e0', 'e1', 'e2'],
        });
        expect(await store.identities.append('acme', [reputationEvent('r1')])).toMatchObject({ accepted: 0 });
        const next = await store.evaluations.append('acme', [evaluation('next')]);
        expect(next.reputations.get('reviewer')?.lifetimeEvaluations).toBe(777);
        expect((await store.evaluations.list('acme', {}, { limit: 1 })).items[0]?.evaluationId).toBe('next');
      });
    });
  });
}

function audited(i: number) {
  return {
    auditId: `a${i}`,
    at: START + i,
    actor: 'cli',
    action: 'test.done',
    target: `t${i}`,
    note: 'a "note"',
  };
}

async function allPages<T>(read: (cursor: string | null) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

/** Everything a ledger holds, in an order that does not depend on the engine. */
export async function everything(store: Store): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for await (const row of store.upkeep.export()) rows.push(row);
  const kinds = ['org', 'key', 'agent', 'evaluation', 'reputation_event', 'audit'];
  return rows.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}

async function* stream<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

function range(from: number, to: number): number[] {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + i * step);
}
