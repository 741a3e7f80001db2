import { describe, expect, it } from 'vitest';
import type { StoredVerdict, ToldSession } from '../../../src/store/store.ts';
import type { SessionEvent } from '../../../src/telemetry/session-event.ts';
import { SessionTable } from '../../../src/telemetry/session-table.ts';
import { audited, signalReport, told, verdict } from '../rows.ts';
import { allPages } from './read.ts';
import { START, type Suite } from './suite.ts';

const MINUTE_MS = 60_000;

export function describeTelemetry(suite: Suite): void {
  const append = (...events: SessionEvent[]) => suite.store.sessions.append('acme', delivery(...events));
  const read = (...ids: string[]) => suite.store.sessions.read('acme', ids);

  describe('what telemetry told', () => {
    it('comes back as it was told, each session with its own', async () => {
      await append(
        told('s1', { kind: 'tool', id: 't1', name: 'Bash', ok: true, amount: 12.5, at: START + 0.25 }),
        told('s1', {
          kind: 'model',
          name: 'sonnet',
          costUsd: 0.01,
          tokens: { input: 1, output: 2, cacheRead: null, cacheWrite: 4 },
        }),
        told('s2', { kind: 'prompt', masque: 'scout', entrypoint: 'cli' }),
      );
      const [first, second, ...others] = await read('s1', 's2', 'unknown');
      expect(others).toEqual([]);
      expect(first?.head).toEqual({
        sessionId: 's1',
        masque: '',
        agent: 'reviewer',
        agentRank: 0,
        dialects: ['claude-code'],
        entrypoint: '',
        firstAt: START,
        lastAt: START + 0.25,
        ended: false,
        detailed: true,
        receivedAt: START,
      });
      expect(withoutFingerprints(first)).toEqual([
        {
          kind: 2,
          outcome: 1,
          source: 0,
          name: 'Bash',
          at: START + 0.25,
          amount: 12.5,
          cost: null,
          tokens: null,
        },
        {
          kind: 3,
          outcome: 0,
          source: 0,
          name: 'sonnet',
          at: START,
          amount: null,
          cost: 0.01,
          tokens: [1, 2, null, 4],
        },
      ]);
      expect(second?.head).toMatchObject({ sessionId: 's2', masque: 'scout', entrypoint: 'cli' });
      expect(await suite.store.agents.get('acme', 'reviewer')).toMatchObject({ agentId: 'reviewer' });
    });

    it('is the same whether it is told once, twice or in halves', async () => {
      const called = told('s1', { kind: 'tool', id: 't1', name: 'Bash' });
      const done = told('s1', { kind: 'tool', id: 't1', ok: false, amount: 3, at: START + 5 });
      const ended = told('s1', { kind: 'end', at: START + 9 });
      for (let i = 0; i < 2; i++) {
        await append(ended);
        await append(done);
        await append(called);
      }
      const [session, other] = await read('s1');
      expect(other).toBeUndefined();
      expect(session?.head).toMatchObject({ firstAt: START, lastAt: START + 9, ended: true });
      expect(new Set(session?.events.map(({ fingerprint }) => fingerprint)).size).toBe(2);
      expect(session?.events).toHaveLength(3);
    });

    it('belongs to the agent with the best name, whoever was named first', async () => {
      await append(told('s1', { agent: { name: 'claude-code', rank: 0 } }));
      await append(told('s1', { agent: { name: 'mine', rank: 3 } }));
      await append(told('s1', { agent: { name: 'claude-code', rank: 0 } }), told('s2', {}));
      await append(told('nobody', { agent: { name: '', rank: 0 } }));
      const owners = async () =>
        (await allPages((cursor) => suite.store.sessions.list('acme', {}, { cursor, limit: 1 }))).map(
          ({ sessionId, agentId }) => [sessionId, agentId],
        );
      expect(await owners()).toEqual([
        ['s2', 'reviewer'],
        ['s1', 'mine'],
        ['nobody', null],
      ]);
      await suite.store.agents.delete('acme', 'claude-code', audited(0));
      expect(await owners()).toEqual([
        ['s2', 'reviewer'],
        ['s1', 'mine'],
        ['nobody', null],
      ]);
      await suite.store.agents.delete('acme', 'mine', audited(1));
      expect(await owners()).toEqual([
        ['s2', 'reviewer'],
        ['nobody', null],
      ]);
      expect(await read('s1')).toEqual([]);
      await append(told('s1', { kind: 'prompt' }));
      expect((await read('s1'))[0]?.events).toHaveLength(1);
    });

    it('is listed with all that is known of sessions, the latest first', async () => {
      await append(told('s1', { at: START + 10 }), told('s2', { at: START + 30 }));
      await suite.store.signals.append('acme', [
        signalReport('t1', { sessionId: 's3', startedAt: START + 20, agentId: 'other' }),
      ]);
      await suite.store.verdicts.append('acme', [verdict('s4', { agentId: null, endedAt: START + 40 })]);
      const list = async (filter: Parameters<typeof suite.store.sessions.list>[1]) =>
        (await suite.store.sessions.list('acme', filter, { limit: 9 })).items.map(
          ({ sessionId }) => sessionId,
        );
      expect(await list({})).toEqual(['s4', 's2', 's3', 's1']);
      expect(await list({ agentId: 'other' })).toEqual(['s3']);
      expect(await list({ agentId: 'stranger' })).toEqual([]);
      expect(await list({ from: START + 20, to: START + 40 })).toEqual(['s2', 's3']);
      const pages = await allPages((cursor) => suite.store.sessions.list('acme', {}, { cursor, limit: 3 }));
      expect(pages.map(({ sessionId }) => sessionId)).toEqual(['s4', 's2', 's3', 's1']);
    });

    it('is due when it has ended or gone quiet, until it is judged', async () => {
      await append(told('s1', { kind: 'prompt' }));
      await append(told('s2', { kind: 'end' }));
      const due = (since: number) => suite.store.sessions.due(since, 9);
      expect(await due(START - 1)).toEqual([{ orgId: 'acme', sessionId: 's2' }]);
      expect(await due(START + MINUTE_MS)).toEqual([
        { orgId: 'acme', sessionId: 's1' },
        { orgId: 'acme', sessionId: 's2' },
      ]);
      expect(await suite.store.sessions.due(START + MINUTE_MS, 1)).toHaveLength(1);
      const [told2] = await read('s2');
      await suite.store.verdicts.append('acme', [verdict('s2', { receivedAt: told2?.head.receivedAt ?? 0 })]);
      expect(await due(START - 1)).toEqual([]);
      await append(told('s2', { kind: 'prompt' }));
      expect(await due(START - 1)).toEqual([{ orgId: 'acme', sessionId: 's2' }]);
    });

    it('goes when it is old, and verdicts on it stay', async () => {
      await append(told('s1', { kind: 'prompt' }));
      await append(told('s2', { kind: 'prompt' }));
      await suite.store.verdicts.append('acme', [verdict('s1')]);
      const [second] = await read('s2');
      const keep = { evaluationsMs: null, reputationEventsMs: null, auditMs: null };
      const now = (second?.head.receivedAt ?? 0) + 1000;
      expect(
        await suite.store.upkeep.prune(
          { ...keep, sessionEventsMs: null, signalsMs: null, sessionScoresMs: null },
          now,
        ),
      ).toMatchObject({
        sessionEvents: 0,
        signalReports: 0,
        sessionScores: 0,
      });
      expect(
        await suite.store.upkeep.prune(
          { ...keep, sessionEventsMs: 1000, signalsMs: null, sessionScoresMs: null },
          now,
        ),
      ).toMatchObject({
        sessionEvents: 1,
      });
      expect((await read('s1', 's2')).map(({ head }) => head.sessionId)).toEqual(['s2']);
      expect(await suite.store.verdicts.latestOf('acme', ['s1'])).toHaveLength(1);
      // Many deliveries of one session are joined on this occasion, and read as before.
      await append(told('s2', { kind: 'prompt', at: START + 7 }));
      const before = await read('s2');
      await suite.store.upkeep.prune(
        { ...keep, sessionEventsMs: null, signalsMs: null, sessionScoresMs: null },
        now,
      );
      expect(await read('s2')).toEqual(before);
    });

    it('belongs to its org', async () => {
      await append(told('s1', { kind: 'end' }));
      await suite.store.verdicts.append('acme', [verdict('s1', { receivedAt: 0 })]);
      expect(await suite.store.sessions.read('rival', ['s1'])).toEqual([]);
      expect((await suite.store.sessions.list('rival', {}, { limit: 9 })).items).toEqual([]);
      expect(await suite.store.verdicts.latestOf('rival', ['s1'])).toEqual([]);
      expect(await suite.store.verdicts.list('rival', {}, 9)).toEqual([]);
      await suite.store.sessions.append('rival', delivery(told('s1', { kind: 'prompt' })));
      expect((await read('s1'))[0]?.events).toHaveLength(1);
      expect(await suite.store.sessions.due(0, 9)).toEqual([{ orgId: 'acme', sessionId: 's1' }]);
    });
  });

  describe('verdicts', () => {
    const store = (...batch: StoredVerdict[]) => suite.store.verdicts.append('acme', batch);

    it('come back as they were; of each session those of the highest revision', async () => {
      await suite.store.agents.put('acme', 'reviewer', { at: 1 });
      const first = verdict('s1', { details: { composite: 7.2, tools: ['a'] }, composite: 7.2 });
      expect(await store(first, verdict('s1', { masque: 'scout', startedAt: START + 1 }))).toEqual({
        accepted: 2,
        duplicates: 0,
      });
      expect(await store({ ...first, composite: 1 })).toEqual({ accepted: 0, duplicates: 1 });
      const found = await suite.store.verdicts.latestOf('acme', ['s1', 's2']);
      expect(found.map(({ masque }) => masque)).toEqual(['none', 'scout']);
      expect(found[0]).toEqual(first);
      await store({ ...first, revision: 2, composite: 3 });
      expect(await suite.store.verdicts.latestOf('acme', ['s1'])).toEqual([
        { ...first, revision: 2, composite: 3 },
      ]);
    });

    it('are listed by every filter, the latest beginning first', async () => {
      await suite.store.agents.put('acme', 'reviewer', { at: 1 });
      await suite.store.agents.put('acme', 'other', { at: 1 });
      await store(verdict('s1'), verdict('s2', { startedAt: START + 1, tools: 0 }));
      await store(verdict('s3', { startedAt: START + 2, kindOfWork: 'reading', entrypoint: 'sdk' }));
      await store(verdict('s4', { startedAt: START + 3, agentId: 'other' }));
      const list = async (filter: Parameters<typeof suite.store.verdicts.list>[1], limit = 9) =>
        (await suite.store.verdicts.list('acme', filter, limit)).map(({ sessionId }) => sessionId);
      expect(await list({})).toEqual(['s4', 's3', 's2', 's1']);
      expect(await list({}, 2)).toEqual(['s4', 's3']);
      expect(await list({ agentId: 'other' })).toEqual(['s4']);
      expect(await list({ agentId: 'stranger' })).toEqual([]);
      expect(await list({ kindOfWork: 'writing' })).toEqual(['s4', 's2', 's1']);
      expect(await list({ entrypoint: 'sdk' })).toEqual(['s3']);
      expect(await list({ before: START + 2, toolsMin: 1 })).toEqual(['s1']);
      await suite.store.agents.delete('acme', 'reviewer', audited(0));
      expect(await list({})).toEqual(['s4']);
    });
  });
}

function delivery(...events: SessionEvent[]): SessionTable {
  const table = new SessionTable();
  for (const event of events) table.add(event);
  return table;
}

function withoutFingerprints(session: ToldSession | undefined) {
  return session?.events.map(({ fingerprint: _, ...report }) => report).sort((a, b) => a.kind - b.kind);
}
