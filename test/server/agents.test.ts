import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identityIdOf } from '../../src/core/ids.ts';
import { keysOf, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const evaluate = (agent_id: string, output = 'fine', evaluation_id?: string) =>
  server.call('/v1/evaluate', { body: { agent_id, output, evaluation_id } });
const admin = (path: string, method: string, body?: unknown) =>
  server.call(path, { method, key: server.sk, ...(body !== undefined && { body }) });

describe('agents', () => {
  it.each([
    'a/b',
    '../../etc/passwd',
    '..',
    '.',
    '🤖 agent',
    "o'hara; DROP TABLE agents",
    '%2F',
    'a?b#c',
    'Ünï code',
  ])('may be called %s', async (agentId) => {
    await evaluate(agentId);
    const path = encodeURIComponent(agentId).replaceAll('.', '%2E');
    expect((await server.call(`/v1/reputation/${path}`)).json).toMatchObject({
      agent_id: agentId,
      evaluations: 1,
    });
    expect((await server.call(`/v1/agents/${path}`)).json).toMatchObject({
      agent_id: agentId,
      identity_id: identityIdOf('acme', agentId),
    });
  });

  it('nobody has met have a reputation and a card of zeros, and are no agents', async () => {
    const { status, json } = await server.call('/v1/reputation/nobody');
    expect(status).toBe(200);
    expect(json).toEqual({
      agent_id: 'nobody',
      score: 0,
      lifecycle: 'new',
      status: 'new',
      eval_count: 0,
      evaluations: 0,
      passed: 0,
      pass_rate: 0,
      avg_latency_ms: 0,
      avg_agent_latency_ms: 0,
      streak: 0,
      window_size: 500,
      lifetime_evaluations: 0,
      components: { pass_rate: 0, latency: 0, streak: 0, volume: 0 },
      evidence: { server: 0, signed: 0, reported: 0 },
      assurance: {
        pass_rate_low: 0,
        pass_rate_high: 1,
        score_low: 0,
        score_high: 400,
        n_eff: 0,
        certainty: 0,
        method: 'beta_binomial_sequence_v1.anytime',
      },
      updated_at: null,
    });
    expect((await server.call('/v1/agents/nobody')).json.code).toBe('not_found');
    expect((await server.call('/v1/agents/nobody/card')).json.scores).toMatchObject({
      reputation: { score: 0 },
      agent_reliability: null,
      agent_consistency: null,
      performance: null,
      identity: null,
    });
  });

  it('can be made, changed and deleted, with a note of who did it', async () => {
    const made = await admin('/v1/agents', 'POST', { agent_id: 'made', display_name: 'Made' });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ agent_id: 'made', display_name: 'Made', public: false });
    expect((await admin('/v1/agents', 'POST', { agent_id: 'made' })).json.code).toBe('conflict');
    const identity_id = '0b6a3b0e-7b0e-4c3a-9f0e-2d1c5b7a9e11';
    const changed = await admin('/v1/agents/made', 'PATCH', {
      public: true,
      identity_id,
      display_name: null,
    });
    expect(changed.json).toMatchObject({ public: true, identity_id, display_name: null });
    expect((await admin('/v1/agents/unmade', 'PATCH', {})).json.code).toBe('not_found');
    await evaluate('made', 'x', 'of-made');
    expect((await admin('/v1/agents/made', 'DELETE')).json).toEqual({ deleted: true });
    expect((await admin('/v1/agents/made', 'DELETE')).status).toBe(404);
    expect((await server.call('/v1/events/of-made')).status).toBe(404);
    const { json: audit } = await admin('/v1/audit', 'GET');
    expect(
      audit.items.slice(0, 3).map(({ action, target }: Record<string, string>) => [action, target]),
    ).toEqual([
      ['agent.delete', 'made'],
      ['agent.change', 'made'],
      ['agent.create', 'made'],
    ]);
  });

  it('are listed page by page with where they stand', async () => {
    const ids: string[] = [];
    let cursor = '';
    do {
      const { json } = await server.call(
        `/v1/agents?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      for (const item of json.items) {
        ids.push(item.agent_id);
        expect(item.reputation).toMatchObject({ eval_count: 1, lifecycle: 'calibrating', pass_rate: 1 });
      }
      cursor = json.next_cursor ?? '';
    } while (cursor !== '');
    expect(ids).toHaveLength(9);
    expect(new Set(ids).size).toBe(9);
  });

  it('of two orgs never meet', async () => {
    const [pk, sk] = await keysOf(server, 'globex');
    await evaluate('shared', 'x', 'acme-1');
    const other = (path: string, method = 'GET', body?: unknown) =>
      server.call(path, { method, key: sk, ...(body !== undefined && { body }) });
    expect((await other('/v1/reputation/shared')).json.lifetime_evaluations).toBe(0);
    expect((await other('/v1/agents')).json.items).toEqual([]);
    expect((await other('/v1/events')).json.items).toEqual([]);
    expect((await other('/v1/events/acme-1')).status).toBe(404);
    expect((await other('/v1/events/acme-1/void', 'POST', { reason: 'x' })).status).toBe(404);
    expect((await other('/v1/agents/shared')).status).toBe(404);
    expect((await other('/v1/agents/shared', 'DELETE')).status).toBe(404);
    expect((await other('/v1/agents/shared', 'PATCH', { public: true })).status).toBe(404);
    const audit = (await other('/v1/audit')).json.items as { action: string }[];
    expect(audit.map(({ action }) => action)).toEqual(['key.create', 'key.create', 'org.create']);
    // The same evaluation id in another org is another evaluation.
    const same = await server.call('/v1/evaluate', {
      key: pk,
      body: { agent_id: 'shared', output: '', evaluation_id: 'acme-1' },
    });
    expect(same.json.passed).toBe(false);
    expect((await server.call('/v1/events/acme-1')).json.passed).toBe(true);
  });
});

describe('public profiles', () => {
  async function ingest(agent_id: string, count: number) {
    const events = Array.from({ length: count }, (_, i) => ({
      evaluation_id: `${agent_id}-${i}`,
      agent_id,
      passed: true,
      gates: [{ name: 'content', outcome: 'passed', latency_ms: 0 }],
      total_latency_ms: 0,
    }));
    await server.call('/v1/ingest', { body: { events } });
    await admin(`/v1/agents/${encodeURIComponent(agent_id)}`, 'PATCH', { public: true });
  }

  it('show no number below 50 evaluations, and the score from there on', async () => {
    await ingest('young', 17);
    const young = await server.call('/public/acme/young', { key: null });
    expect(young.json).toMatchObject({
      score: null,
      pass_rate: null,
      lifecycle: 'calibrating',
      label: 'calibrating 17/50',
    });
    await ingest('grown', 50);
    const grown = await server.call('/public/acme/grown', { key: null });
    expect(grown.json).toMatchObject({
      score: 865,
      label: '865 (823–865)',
      lifecycle: 'active',
      org: 'acme',
      evidence: { server: 0, signed: 0, reported: 50 },
    });
  });

  it('exist only for agents marked public', async () => {
    await evaluate('private');
    for (const path of ['/public/acme/private', '/public/acme/nobody', '/public/nowhere/young']) {
      expect((await server.call(path, { key: null })).json.code).toBe('not_found');
      expect((await server.call(`${path}/badge.svg`, { key: null })).status).toBe(404);
    }
  });

  it('have a badge that is drawn whole for long and strange names', async () => {
    const name = `<b>${'wide 🤖 & "quoted" '.repeat(9)}</b>`;
    await ingest(name, 50);
    const { status, headers, text } = await server.call(
      `/public/acme/${encodeURIComponent(name)}/badge.svg`,
      { key: null },
    );
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=300');
    expect(text).not.toContain('<b>');
    const [, width = '', boxes = ''] = /^<svg[^>]* width="(\d+)"(.*)$/s.exec(text) ?? [];
    const widths = [...boxes.matchAll(/<rect(?: x="\d+")? width="(\d+)" height="20" fill/g)].map(([, box]) =>
      Number(box),
    );
    expect(widths.reduce((sum, box) => sum + box, 0)).toBe(Number(width));
    const lengths = [...text.matchAll(/textLength="(\d+)"/g)].map(([, length]) => Number(length));
    expect(lengths).toEqual(widths.map((box) => box - 16));
    expect(text).toContain('>865 (823–865)</text>');
    expect(text).toContain('…</text>');
  });
});
