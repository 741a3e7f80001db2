import { existsSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { identityIdOf } from '../../src/core/ids.ts';
import { LIMITS } from '../../src/core/limits.ts';
import type { Log } from '../support/otlp.ts';
import { logBatch } from '../support/otlp.ts';
import { send, startServer, type TestServer } from '../support/server.ts';
import { type Work, work } from '../support/work.ts';

const AT = Date.UTC(2026, 10, 15, 9);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let now = AT;
let server: TestServer;
beforeEach(async () => {
  now = AT + DAY_MS;
  server = await startServer({ clock: () => now });
  return () => server.stop();
});

describe('a session', () => {
  it('is judged by itself half an hour after the last that came of it', async () => {
    await tell('s1', { at: AT });
    now += 29 * MINUTE_MS;
    expect(await server.judging.look()).toBe(0);
    expect((await read('s1')).state).toBe('open');
    now += MINUTE_MS;
    expect(await server.judging.look()).toBe(1);
    expect(await read('s1')).toMatchObject({ state: 'judged', judged_at: new Date(now).toISOString() });
    expect(await server.judging.look()).toBe(0);
  });

  it('is judged at once when it says that it ended', async () => {
    const own = { attributes: { 'session.id': 's1' } };
    const gemini = { resource: { 'service.name': 'gemini-cli' } };
    await post(logBatch([{ name: 'gemini_cli.user_prompt', at: AT, ...own }], gemini));
    expect(await server.judging.look()).toBe(0);
    await post(logBatch([{ name: 'gemini_cli.end_session', at: AT + 1, ...own }], gemini));
    expect(await server.judging.look()).toBe(1);
    expect((await read('s1')).state).toBe('judged');
  });

  it('is one session when two masques were worn and nothing was done', async () => {
    const ends = ['a', 'b'].map((masque) => ({
      name: 'gemini_cli.end_session',
      at: AT,
      attributes: { 'session.id': 'idle', masque },
    }));
    await post(logBatch(ends, { resource: { 'service.name': 'gemini-cli' } }));
    expect(await server.judging.look()).toBe(1);
    expect(await read('idle')).toMatchObject({ state: 'judged', verdicts: [{ masque: 'a' }] });
    expect(await server.judging.look()).toBe(0);
  });

  it('that cannot be judged is put off, and stands in the way of no other', async () => {
    const { sessions } = server.context.store;
    const readTold = sessions.read;
    sessions.read = (orgId, ids) => {
      if (ids.some((id) => id.startsWith('bad'))) throw new RangeError('unreadable');
      return readTold.call(sessions, orgId, ids);
    };
    const bad = Array.from({ length: LIMITS.judgedAtOnce + 5 }, (_, i) => `bad-${i}`);
    const prompts = bad.map((id) => ({
      name: 'claude_code.user_prompt',
      at: AT,
      attributes: { 'session.id': id },
    }));
    await post(logBatch(prompts, { resource: { 'service.name': 'claude-code' } }));
    await tell('good', { at: AT });
    now += 31 * MINUTE_MS;
    expect(await server.judging.look()).toBe(0);
    expect(await server.judging.look()).toBe(1);
    expect((await read('good')).state).toBe('judged');
    sessions.read = readTold;
    expect(await server.judging.look()).toBe(0);
    now += LIMITS.judgePutOffMs;
    expect(await server.judging.look()).toBe(LIMITS.judgedAtOnce);
    expect(await server.judging.look()).toBe(5);
  });

  it('feeds the identity of its agent, once however often it is judged', async () => {
    await tell('s1', { at: AT, agentId: 'mine' });
    const judged = await judge('s1');
    const { composite } = judged.verdicts[0];
    const [event, ...others] = await events('mine');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      category: 'task_quality',
      event_type: 'session_scored',
      reference_type: 'session',
      reference_id: 's1',
      score_delta: (composite - 5) / 5,
      confidence: 4 / 20,
      attributes: { masque: 'none', composite: String(composite) },
      timestamp: new Date(AT + 10 * MINUTE_MS).toISOString(),
      revision: 1,
    });
    await judge('s1');
    await tell('s1', { at: AT, agentId: 'mine' });
    now += 31 * MINUTE_MS;
    expect(await server.judging.look()).toBe(1);
    expect(await events('mine')).toEqual([event]);
  });

  it('replaces what it said of its agent when more is told', async () => {
    await tell('s1', { at: AT, agentId: 'mine' });
    await judge('s1');
    const more = ['a', 'b', 'c'].map(
      (id): Log => ({
        name: 'claude_code.tool_result',
        at: AT + 12 * MINUTE_MS,
        attributes: { tool_name: 'Bash', tool_use_id: id, success: false },
      }),
    );
    await tell('s1', { at: AT, agentId: 'mine', more });
    const { verdicts } = await judge('s1');
    const [event, ...others] = await events('mine');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      revision: 2,
      confidence: 7 / 20,
      score_delta: (verdicts[0].composite - 5) / 5,
    });
    const identity = (await server.call(`/v1/identities/${identityIdOf('acme', 'mine')}/reputation`)).json;
    expect(identity.total_events).toBe(1);
  });

  it('feeds it once for each masque, also when those are named after it was judged', async () => {
    const fed = async () =>
      (await events('mine'))
        .map(({ attributes }: { attributes: { masque: string } }) => attributes.masque)
        .sort();
    const results = (masque: string): Log[] =>
      ['x', 'y'].map((id) => ({
        name: 'claude_code.tool_result',
        at: AT + 12 * MINUTE_MS,
        attributes: { tool_name: 'Bash', tool_use_id: `${masque}-${id}`, success: true, masque },
      }));
    await tell('s1', { at: AT, agentId: 'mine' });
    await judge('s1');
    expect(await fed()).toEqual(['none']);
    await tell('s1', { at: AT, agentId: 'mine', more: results('scout') });
    await judge('s1');
    expect(await fed()).toEqual(['scout']);
    await tell('s1', { at: AT, agentId: 'mine', more: results('archer') });
    await judge('s1');
    expect(await fed()).toEqual(['archer', 'none', 'scout']);
    await judge('s1');
    expect(await fed()).toEqual(['archer', 'none', 'scout']);
  });

  it('feeds it once also when one masque did no more than ask, or says that there was none', async () => {
    const prompt = (masque: string): Log => ({
      name: 'claude_code.user_prompt',
      at: AT + 11 * MINUTE_MS,
      attributes: { masque, 'prompt.id': masque },
    });
    await tell('s1', { at: AT, agentId: 'mine' });
    await judge('s1');
    await tell('s1', { at: AT, agentId: 'mine', more: [prompt('none')] });
    await judge('s1');
    expect(await events('mine')).toHaveLength(1);
    await tell('s1', { at: AT, agentId: 'mine', more: [prompt('archer')] });
    await judge('s1');
    await tell('s1', { at: AT, agentId: 'mine', more: [prompt('scout')] });
    await judge('s1');
    expect(await events('mine')).toHaveLength(1);
  });

  it('goes on feeding the identity that its agent had, when that changes', async () => {
    await tell('s1', { at: AT, agentId: 'mine' });
    await judge('s1');
    const before = await events('mine');
    const identity_id = '33333333-3333-4333-8333-333333333333';
    await server.call('/v1/agents/mine', { method: 'PATCH', key: server.sk, body: { identity_id } });
    const more: Log[] = [
      {
        name: 'claude_code.tool_result',
        at: AT + 12 * MINUTE_MS,
        attributes: { tool_name: 'Bash', tool_use_id: 'later', success: true },
      },
    ];
    await tell('s1', { at: AT, agentId: 'mine', more });
    await judge('s1');
    const moved = (await server.call(`/v1/identities/${identity_id}/reputation`)).json;
    expect(moved.total_events).toBe(0);
    const [kept] = (await server.call(`/v1/identities/${identityIdOf('acme', 'mine')}/events`)).json.items;
    expect([before[0].revision, kept.revision, kept.confidence]).toEqual([1, 2, 5 / 20]);
    await tell('s2', { at: AT, agentId: 'mine' });
    await judge('s2');
    expect((await server.call(`/v1/identities/${identity_id}/reputation`)).json.total_events).toBe(1);
  });

  it('counts for its owner alone when that becomes known later', async () => {
    await tell('s1', { at: AT });
    await judge('s1');
    expect(await events('claude-code')).toHaveLength(1);
    await tell('s1', { at: AT, agentId: 'mine' });
    await judge('s1');
    expect(await events('mine')).toHaveLength(1);
    expect(await events('claude-code')).toEqual([]);
    const former = identityIdOf('acme', 'claude-code');
    expect((await server.call(`/v1/identities/${former}/reputation`)).json.total_events).toBe(0);
  });

  it('says nothing of an agent when it called no tool', async () => {
    await post(
      logBatch([{ name: 'claude_code.user_prompt', at: AT, attributes: { 'session.id': 's1' } }], {
        resource: { 'service.name': 'talker' },
      }),
    );
    await judge('s1');
    expect(await events('talker')).toEqual([]);
  });

  it('is compared with the earlier ones of its agent', async () => {
    for (let day = 0; day < 6; day++) {
      await tell(`s${day}`, { at: AT - (6 - day) * DAY_MS, agentId: 'mine', failing: day % 2 });
      await judge(`s${day}`);
    }
    const baselineOf = async (id: string) => (await read(id)).verdicts[0].baseline;
    expect(await baselineOf('s3')).toBe('not enough sessions yet (3 of 5)');
    expect(await baselineOf('s5')).toMatchObject({ sessions: 5, kind_of_work: 'running' });
  });

  it('may be asked about in part, which writes nothing down', async () => {
    await tell('s1', { at: AT });
    const part = await server.call('/v1/sessions/s1/judge', {
      body: { from: AT + 3 * MINUTE_MS, to: AT + 7 * MINUTE_MS, masque: 'scout' },
    });
    expect(part.json.verdicts[0]).toMatchObject({ masque: 'scout', stats: { total_tools: 2, tools_ok: 2 } });
    const worn = await server.call('/v1/sessions/s1/judge', {
      body: {
        masque_session: {
          active: { name: 'late', donned_at: AT + 5 * MINUTE_MS },
          previous: { name: 'early', doffed_at: AT + 5 * MINUTE_MS },
        },
      },
    });
    expect(worn.json.verdicts.map(({ masque }: { masque: string }) => masque)).toEqual(['early', 'late']);
    expect((await read('s1')).state).toBe('open');
    expect((await server.call('/v1/sessions/nobody/judge', { body: {} })).status).toBe(404);
    expect((await server.call('/v1/sessions/nobody')).status).toBe(404);
  });

  it('keeps its verdict when its telemetry is gone', async () => {
    await tell('s1', { at: AT });
    const { verdicts } = await judge('s1');
    const policy = {
      evaluationsMs: null,
      reputationEventsMs: null,
      auditMs: null,
      sessionEventsMs: 0,
      signalsMs: null,
      sessionScoresMs: null,
    };
    await server.context.store.upkeep.prune(policy, now + 1);
    expect(await read('s1')).toMatchObject({ state: 'judged', verdicts });
  });

  it('is listed with all others, the latest first, and on the card of its agent', async () => {
    await tell('s1', { at: AT, agentId: 'mine' });
    await tell('s2', { at: AT + DAY_MS / 2, agentId: 'mine', failing: 4 });
    await judge('s2');
    await server.call('/v1/signals', {
      body: {
        traces: [
          { session_id: 's3', trace_id: 't', signals: { confidence: 0.9 }, started_at: AT + 20 * MINUTE_MS },
        ],
      },
    });
    const { json } = await server.call('/v1/sessions');
    expect(json.items.map(({ session_id }: { session_id: string }) => session_id)).toEqual([
      's2',
      's3',
      's1',
    ]);
    expect(json.items[0]).toMatchObject({
      performance: { tools: 4, masque: 'none' },
      agent_reliability: null,
    });
    expect(json.items[2].performance).toBeNull();
    const own = await server.call('/v1/sessions?agent_id=mine&limit=1');
    expect(own.json.items).toHaveLength(1);
    expect(own.json.next_cursor).not.toBeNull();
    const card = (await server.call('/v1/agents/mine/card')).json;
    expect(card.scores.performance).toMatchObject({
      sessions: 1,
      composite: json.items[0].performance.composite,
      latest: { session_id: 's2' },
    });
  });
});

describe('texts that pass by', () => {
  const SECRET = 'xyzzy-plugh-zanzibar';
  const said = (id: string, at: number): Log[] => [
    {
      name: 'claude_code.user_prompt',
      at,
      attributes: { 'prompt.id': id, prompt: `Find the ${SECRET} in the logs of the billing service` },
    },
    {
      name: 'claude_code.tool_result',
      at: at + 1000,
      attributes: {
        tool_name: 'Grep',
        tool_use_id: `${id}-1`,
        success: true,
        tool_input: `{"pattern":"${SECRET}"}`,
      },
    },
    {
      name: 'claude_code.tool_result',
      at: at + 2000,
      attributes: {
        tool_name: 'Grep',
        tool_use_id: `${id}-2`,
        success: false,
        tool_input: `{"pattern":"${SECRET}"}`,
      },
    },
    {
      name: 'claude_code.assistant_response',
      at: at + 3000,
      attributes: { response: `The ${SECRET} is in the logs of the billing service.` },
    },
  ];

  it('become signals in the ledger when the turn is over, and are kept nowhere', async () => {
    await tell('s1', { at: AT, more: said('p1', AT + 20 * MINUTE_MS) });
    expect((await server.call('/v1/sessions/s1/traces')).status).toBe(404);
    await tell('s1', { at: AT, more: said('p2', AT + 30 * MINUTE_MS).slice(0, 1) });
    const { json } = await server.call('/v1/sessions/s1/traces');
    expect(json.agent_id).toBe('claude-code');
    expect(json.traces).toHaveLength(1);
    expect(json.traces[0]).toMatchObject({ trace_id: 'p1', signals: { tool_correctness: 0.5 } });
    expect(json.traces[0].signals.loop_detection).toBeLessThan(1);
    const files = [server.data, `${server.data}.wal`].filter(existsSync).map((file) => readFileSync(file));
    expect(files.some((bytes) => bytes.includes(SECRET))).toBe(false);
    expect(files.some((bytes) => bytes.includes('Grep'))).toBe(true);
    expect(server.log.join('')).not.toContain(SECRET);
  });

  it('are measured when nothing more comes', async () => {
    await tell('s1', { at: AT, more: said('p1', AT + 20 * MINUTE_MS) });
    now += 11 * MINUTE_MS;
    await server.judging.look();
    expect((await server.call('/v1/sessions/s1/traces')).json.traces).toHaveLength(1);
  });
});

function post(body: object) {
  return send(server.receiver.url ?? '', '/v1/logs', { key: null, body });
}

async function tell(sessionId: string, told: Work): Promise<void> {
  expect((await post(work(sessionId, told))).status).toBe(200);
}

async function read(sessionId: string) {
  return (await server.call(`/v1/sessions/${sessionId}`)).json;
}

async function judge(sessionId: string) {
  const answer = await server.call(`/v1/sessions/${sessionId}/judge`, { body: {} });
  expect(answer.status).toBe(200);
  return answer.json;
}

async function events(agentId: string) {
  const identity = identityIdOf('acme', agentId);
  return (await server.call(`/v1/identities/${identity}/events`)).json.items;
}
