import { describe, expect, it } from 'vitest';
import { reputationOf } from '../../../src/core/reputation.ts';
import { toCounted } from '../../../src/store/evaluation-window.ts';
import type { Evaluation } from '../../../src/store/store.ts';
import { audited, evaluation, evaluations } from '../rows.ts';
import { allPages, everything, range } from './read.ts';
import { START, type Suite } from './suite.ts';

export function describeEvaluations(suite: Suite): void {
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
      await suite.store.evaluations.append('acme', [rich]);
      expect(await suite.store.evaluations.get('acme', 'e1')).toEqual({
        ...rich,
        receivedAt: START,
        voided: null,
      });
      expect(await suite.store.evaluations.get('acme', 'e2')).toBeNull();
    });

    it('count once however often they are sent: within a batch, in another, at the same time', async () => {
      const first = await suite.store.evaluations.append('acme', [
        evaluation('e1'),
        evaluation('e1', { passed: false }),
        evaluation('e2'),
      ]);
      expect(first).toMatchObject({ accepted: 2, duplicates: ['e1'] });
      const again = await suite.store.evaluations.append('acme', [
        evaluation('e2', { passed: false }),
        evaluation('e3'),
      ]);
      expect(again).toMatchObject({ accepted: 1, duplicates: ['e2'] });
      const racing = await Promise.all(
        [1, 2, 3].map(() => suite.store.evaluations.append('acme', [evaluation('e4')])),
      );
      expect(racing.map(({ accepted }) => accepted).sort()).toEqual([0, 0, 1]);
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
        evalCount: 4,
        passed: 4,
      });
      expect((await suite.store.evaluations.get('acme', 'e2'))?.passed).toBe(true);
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
        (await suite.store.evaluations.append('acme', batch.slice(0, 700))).reputations.get('reviewer'),
      ).toEqual(expected(700));
      expect(
        (await suite.store.evaluations.append('acme', batch.slice(700))).reputations.get('reviewer'),
      ).toEqual(expected(1_203));
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toEqual(expected(1_203));
    });

    it('that do not count are kept, and change no score', async () => {
      await suite.store.evaluations.append('acme', evaluations('e', 5));
      const before = await suite.store.evaluations.reputation('acme', 'reviewer');
      await suite.store.evaluations.append('acme', [evaluation('slow', { counts: false, passed: false })]);
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toEqual(before);
      expect((await suite.store.evaluations.get('acme', 'slow'))?.counts).toBe(false);
    });

    it('are taken all or not at all', async () => {
      const bad = [evaluation('good'), evaluation('bad', { totalLatencyMs: -1 })];
      await expect(suite.store.evaluations.append('acme', bad)).rejects.toMatchObject({
        code: 'invalid_request',
      });
      expect(await suite.store.evaluations.get('acme', 'good')).toBeNull();
      expect(await suite.store.agents.get('acme', 'reviewer')).toBeNull();
    });

    it('tell when the newest of an agent was received that is in its window', async () => {
      expect(await suite.store.evaluations.lastArrival('acme', 'reviewer')).toBeNull();
      for (const id of ['e1', 'e2', 'e3']) await suite.store.evaluations.append('acme', [evaluation(id)]);
      await suite.store.evaluations.append('acme', [evaluation('slow', { counts: false, passed: false })]);
      const received = async (id: string) => (await suite.store.evaluations.get('acme', id))?.receivedAt;
      expect(await suite.store.evaluations.lastArrival('acme', 'reviewer')).toBe(await received('e3'));
      await suite.store.evaluations.void('acme', 'e3', { at: 7, reason: 'wrong', audit: audited(0) });
      expect(await suite.store.evaluations.lastArrival('acme', 'reviewer')).toBe(await received('e2'));
    });

    it('say how an agent stood at earlier times', async () => {
      const batch = range(0, 1_299).map((i) =>
        evaluation(`e${i}`, { passed: i % 7 !== 0, totalLatencyMs: i % 50, counts: i % 11 !== 0 }),
      );
      for (let i = 0; i < batch.length; i += 100) {
        await suite.store.evaluations.append('acme', batch.slice(i, i + 100));
      }
      await suite.store.evaluations.void('acme', 'e601', { at: 7, reason: 'wrong', audit: audited(0) });
      const stored = (await everything(suite.store)).flatMap((item) =>
        item.kind === 'evaluation' && item.row.counts && item.row.voided === null ? [item.row] : [],
      );
      const times = [0, 1, 150, 700, 701, 1_299, 5_000].map((i) => START - 1 + i);
      const expected = times.map((time) =>
        reputationOf(stored.filter(({ receivedAt }) => receivedAt <= time).map(toCounted)),
      );
      expect(new Set(expected.map(({ lifetimeEvaluations }) => lifetimeEvaluations)).size).toBeGreaterThan(3);
      expect(await suite.store.evaluations.history('acme', 'reviewer', times)).toEqual(expected);
      expect(await suite.store.evaluations.history('acme', 'nobody', [START])).toEqual([reputationOf([])]);
    });

    it('come to so many a day for each agent, of those that count', async () => {
      const DAY_MS = 86_400_000;
      const append = (agentId: string, ids: string[], more: Partial<Evaluation> = {}) =>
        suite.store.evaluations.append(
          'acme',
          ids.map((id) => evaluation(id, { agentId, ...more })),
        );
      await append('a', ['a1', 'a2', 'a3']);
      await append('a', ['a4'], { passed: false });
      await append('a', ['slow'], { counts: false, passed: false });
      await append('b/ü', ['b1'], { passed: false });
      await suite.store.evaluations.append('globex', evaluations('foreign', 2));
      await suite.store.evaluations.void('acme', 'a3', { at: 7, reason: 'wrong', audit: audited(0) });
      const received = (await suite.store.evaluations.get('acme', 'a1'))?.receivedAt ?? 0;
      const today = Math.floor(received / DAY_MS);
      expect(await suite.store.evaluations.daily('acme', { fromDay: today - 2, days: 3 })).toEqual(
        new Map([
          ['a', { evaluations: [0, 0, 3], passed: [0, 0, 2] }],
          ['b/ü', { evaluations: [0, 0, 1], passed: [0, 0, 0] }],
        ]),
      );
      expect(await suite.store.evaluations.daily('acme', { fromDay: today + 1, days: 3 })).toEqual(new Map());
      expect(await suite.store.evaluations.daily('nobody', { fromDay: today, days: 1 })).toEqual(new Map());
    });

    it('can be followed from a place on, each once, and only those of the org', async () => {
      await suite.store.evaluations.append('acme', evaluations('before', 3));
      let cursor = await suite.store.evaluations.head('acme');
      await suite.store.evaluations.append('globex', evaluations('foreign', 4));
      await suite.store.evaluations.append('acme', evaluations('after', 5));
      const seen: string[] = [];
      for (const limit of [2, 2, 2, 2]) {
        const feed = await suite.store.evaluations.since('acme', cursor, limit);
        seen.push(...feed.items.map(({ evaluation: { evaluationId } }) => evaluationId));
        cursor = feed.cursor;
      }
      expect(seen).toEqual(range(0, 4).map((i) => `after-${i}`));
      await suite.store.evaluations.append('acme', evaluations('later', 2));
      const { items } = await suite.store.evaluations.since('acme', cursor, 10);
      expect(items.map(({ evaluation: { evaluationId } }) => evaluationId)).toEqual(['later-0', 'later-1']);
      const resumed = await suite.store.evaluations.since('acme', items[0]?.cursor ?? '', 10);
      expect(resumed.items.map(({ evaluation: { evaluationId } }) => evaluationId)).toEqual(['later-1']);
    });

    it('can be followed by their verdicts alone, without those that do not count', async () => {
      const cursor = await suite.store.evaluations.head('acme');
      await suite.store.evaluations.append('acme', [
        evaluation('a', { passed: false }),
        evaluation('b', { counts: false }),
        evaluation('c', {}),
        evaluation('d', { agentId: 'other' }),
      ]);
      await suite.store.evaluations.append('globex', evaluations('foreign', 2));
      await suite.store.evaluations.void('acme', 'c', { audit: audited(0), at: 7, reason: 'a broken gate' });
      const seen: unknown[] = [];
      let place = cursor;
      for (let more = true; more; ) {
        const feed = await suite.store.evaluations.verdictsSince('acme', place, 3);
        seen.push(...feed.items.map(({ agentId, passed }) => [agentId, passed]));
        place = feed.cursor;
        more = feed.hasMore;
      }
      expect(seen).toEqual([
        ['reviewer', false],
        ['other', true],
      ]);
      expect((await suite.store.evaluations.verdictsSince('acme', place, 3)).items).toEqual([]);
    });

    it('of an agent nobody knows make a score of zero', async () => {
      expect(await suite.store.evaluations.reputation('acme', 'nobody')).toEqual(reputationOf([]));
    });

    it('leave the window when they are voided, and the older one comes back', async () => {
      const batch = Array.from({ length: 510 }, (_, i) =>
        evaluation(`e${i}`, { passed: i !== 9, totalLatencyMs: i }),
      );
      await suite.store.evaluations.append('acme', batch);
      const voided = await suite.store.evaluations.void('acme', 'e300', {
        audit: audited(0),
        at: 7,
        reason: 'a broken gate',
      });
      expect(voided).toMatchObject({ evaluationId: 'e300', voided: { at: 7, reason: 'a broken gate' } });
      const left = batch.filter(({ evaluationId }) => evaluationId !== 'e300').map(toCounted);
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toEqual(reputationOf(left));
      expect(
        await suite.store.evaluations.void('acme', 'e300', { audit: audited(1), at: 8, reason: 'again' }),
      ).toEqual(voided);
      expect((await suite.store.audit.list('acme', { limit: 9 })).items).toEqual([audited(0)]);
      expect(await suite.store.evaluations.get('acme', 'e300')).toEqual(voided);
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toEqual(reputationOf(left));
      expect(
        await suite.store.evaluations.void('acme', 'nothing', { audit: audited(0), at: 8, reason: '' }),
      ).toBeNull();
      const next = await suite.store.evaluations.append('acme', [evaluation('next', { passed: false })]);
      expect(next.reputations.get('reviewer')).toEqual(
        reputationOf([...left, toCounted(evaluation('next', { passed: false }))]),
      );
    });

    it('are voided once, however many ask at the same time', async () => {
      await suite.store.evaluations.append('acme', evaluations('e', 5));
      const asked = await Promise.all(
        [1, 2, 3].map((at) =>
          suite.store.evaluations.void('acme', 'e-2', { audit: audited(at), at, reason: `${at}` }),
        ),
      );
      expect(new Set(asked.map((one) => one?.voided?.at)).size).toBe(1);
      expect((await suite.store.evaluations.reputation('acme', 'reviewer')).lifetimeEvaluations).toBe(4);
      expect((await suite.store.evaluations.list('acme', {}, { limit: 10 })).items).toHaveLength(5);
    });

    it('and what is done to their agent at the same time end as if done one after another', async () => {
      await Promise.all([
        suite.store.evaluations.append('acme', evaluations('e', 5)),
        suite.store.agents.put('acme', 'reviewer', { at: 1, displayName: 'first' }),
        suite.store.agents.put('acme', 'reviewer', { at: 1, isPublic: true }),
        suite.store.evaluations.void('acme', 'e-1', { audit: audited(0), at: 1, reason: 'at once' }),
        suite.store.evaluations.append('acme', evaluations('gone', 3, { agentId: 'short-lived' })),
        suite.store.agents.delete('acme', 'short-lived', audited(1)),
      ]);
      const rows = await everything(suite.store);
      expect(rows.filter(({ kind }) => kind === 'agent')).toEqual([
        {
          kind: 'agent',
          orgId: 'acme',
          row: expect.objectContaining({ displayName: 'first', isPublic: true }),
        },
      ]);
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
        evalCount: 4,
        lifetimeEvaluations: 4,
      });
      expect(await suite.store.evaluations.reputation('acme', 'short-lived')).toMatchObject({
        lifetimeEvaluations: 0,
      });
      if (suite.engine.reopen) suite.store = await suite.engine.reopen(suite.store);
      expect(await everything(suite.store)).toEqual(rows);
      expect(await suite.store.evaluations.reputation('acme', 'reviewer')).toMatchObject({
        evalCount: 4,
        lifetimeEvaluations: 4,
      });
    });

    it('are listed newest first, and pages do not shift while others arrive', async () => {
      await suite.store.evaluations.append('acme', evaluations('old', 25));
      const first = await suite.store.evaluations.list('acme', {}, { limit: 10 });
      expect(first.items.map(({ evaluationId }) => evaluationId)).toEqual(
        range(24, 15).map((i) => `old-${i}`),
      );
      await suite.store.evaluations.append('acme', evaluations('new', 5));
      const rest = await allPages((cursor) =>
        suite.store.evaluations.list('acme', {}, { cursor: cursor ?? first.nextCursor, limit: 4 }),
      );
      expect(rest.map(({ evaluationId }) => evaluationId)).toEqual(range(14, 0).map((i) => `old-${i}`));
    });

    it('are found by every filter, alone and together', async () => {
      const gate = (name: string) => [{ name, outcome: 'passed' as const, latencyMs: 0, reason: '["pii",' }];
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
      await suite.store.evaluations.append('acme', sent);
      const ids = async (filter: object) =>
        (await suite.store.evaluations.list('acme', filter, { limit: 10 })).items.map(
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
}
