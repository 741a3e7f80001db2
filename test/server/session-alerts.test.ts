/** A verdict that says doff, and telemetry that says less than it did, are told without being asked for. */
import { beforeEach, expect, it } from 'vitest';
import { type Log, logBatch } from '../support/otlp.ts';
import { send, startServer, type TestServer } from '../support/server.ts';
import { work } from '../support/work.ts';

const AT = Date.UTC(2026, 10, 15, 9);
const HOUR_MS = 3_600_000;

let now = AT;
let server: TestServer;
beforeEach(async () => {
  now = AT;
  server = await startServer({ clock: () => now });
  return () => server.stop();
});

const alerts = async () => (await server.call('/v1/alerts', { key: server.sk })).json.items;

/** Tells of a session, and lets half an hour pass. */
async function tellAndWait(body: object): Promise<void> {
  const { status } = await send(server.url, '/otlp/v1/logs', { key: server.pk, body });
  expect(status).toBe(200);
  now += HOUR_MS;
  expect(await server.judging.look()).toBe(1);
}

it('a session that should be doffed is told once', async () => {
  await tellAndWait(work('good', { at: now, agentId: 'mine', failing: 0 }));
  expect(await alerts()).toEqual([]);
  const prompts = Array.from(
    { length: 30 },
    (_, i): Log => ({
      name: 'claude_code.user_prompt',
      at: now + i,
      attributes: { 'prompt.id': `more-${i}` },
    }),
  );
  await tellAndWait(work('bad', { at: now, agentId: 'mine', failing: 4, more: prompts }));
  expect(await alerts()).toMatchObject([
    { kind: 'session_doffed', subject: 'bad', data: { agent_id: 'mine', tools: 4 } },
  ]);
  expect(await server.judging.look()).toBe(0);
  expect(await alerts()).toHaveLength(1);
});

it('telemetry that no longer tells what it told is noticed', async () => {
  for (let i = 0; i < 5; i++) await tellAndWait(work(`s${i}`, { at: now, agentId: 'mine', failing: 0 }));
  expect(await alerts()).toEqual([]);
  const resource = { 'service.name': 'claude-code', 'renown.agent_id': 'mine' };
  const tool = (n: number): Log => ({
    name: 'claude_code.tool_result',
    at: now + n * 60_000,
    attributes: { 'session.id': 'silent', tool_name: 'Bash', tool_use_id: `t${n}`, success: true },
  });
  await tellAndWait(logBatch([tool(1), tool(2), tool(3)], { resource }));
  const told = await alerts();
  expect(told.map(({ kind, subject }: { kind: string; subject: string }) => [kind, subject])).toContainEqual([
    'coverage_lost',
    'mine',
  ]);
});
