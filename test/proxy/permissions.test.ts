import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePermissions } from '../../src/proxy/permission-file.ts';
import { Permissions } from '../../src/proxy/permissions.ts';
import { createScoreCache } from '../../src/proxy/score-cache.ts';
import { ECHO_SERVER, newHome, proxyCommand, readLog } from '../support/mcp.ts';
import { expectRefusal } from '../support/refusal.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const events = Array.from({ length: 500 }, (_, i) => ({
    evaluation_id: `e${i}`,
    agent_id: 'trusted',
    passed: true,
    gates: [{ name: 'content', outcome: 'passed', latency_ms: 0 }],
    total_latency_ms: 0,
  }));
  await server.call('/v1/ingest', { body: { events } });
});
afterAll(() => server.stop());

interface Setting {
  agentId: string;
  below?: string;
  whenAway?: string;
  url?: string;
  /** What the person at the client says; without it the client cannot ask anybody. */
  says?: 'yes' | 'no';
}

async function connect({ agentId, below = 'block', whenAway = 'block', url = server.url, says }: Setting) {
  const home = newHome();
  const file = join(home, 'permissions.yaml');
  writeFileSync(file, `tools:\n  "ru*": { min_reputation: 800, below: ${below} }\nwhen_away: ${whenAway}\n`);
  const client = new Client(
    { name: 'test-client', version: '1.0.0' },
    { capabilities: says ? { elicitation: {} } : {} },
  );
  const asked: string[] = [];
  if (says) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return says === 'yes' ? { action: 'accept', content: { allow: true } } : { action: 'decline' };
    });
  }
  const options = ['--agent-id', agentId, '--url', url, '--key', server.pk, '--permissions', file];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: proxyCommand({ options, server: ECHO_SERVER }),
      env: { ...(process.env as Record<string, string>), HOME: home },
      stderr: 'ignore',
    }),
  );
  const run = () => client.callTool({ name: 'run', arguments: { command: 'ls' } });
  return { client, home, asked, run };
}

const RAN = { content: [{ type: 'text', text: 'ran 1' }] };
const BLOCKED = { code: -32000, data: { gate: 'min_reputation', direction: 'request' } };

describe('a tool that needs a reputation, through the real proxy and a real server', () => {
  it('runs for an agent whose lower edge reaches it', async () => {
    const { client, run } = await connect({ agentId: 'trusted' });
    expect(await run()).toEqual(RAN);
    await client.close();
  });

  it('does not run for one below it, and the other tools do', async () => {
    const { client, run, home } = await connect({ agentId: 'stranger' });
    await expect(run()).rejects.toMatchObject(BLOCKED);
    const echo = await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
    expect(echo).toMatchObject({ content: [{ text: 'hi' }] });
    // The server has not run it.
    expect(await client.callTool({ name: 'calls', arguments: {} })).toMatchObject({
      content: [{ text: '0' }],
    });
    await client.close();
    expect(readLog(home)).toContainEqual(
      expect.objectContaining({ note: 'permission', action: 'block', tool: 'run' }),
    );
  });

  it('runs with a warning where that is chosen', async () => {
    const { client, run, home } = await connect({ agentId: 'stranger', below: 'warn' });
    expect(await run()).toEqual(RAN);
    await client.close();
    expect(readLog(home)).toContainEqual(expect.objectContaining({ note: 'permission', action: 'warn' }));
  });

  it('is put to the person at the client, whose word counts', async () => {
    const yes = await connect({ agentId: 'stranger', below: 'ask', says: 'yes' });
    expect(await yes.run()).toEqual(RAN);
    expect(yes.asked).toEqual([expect.stringContaining('run needs a reputation of 800')]);
    await yes.client.close();
    const no = await connect({ agentId: 'stranger', below: 'ask', says: 'no' });
    await expect(no.run()).rejects.toMatchObject(BLOCKED);
    expect(no.asked).toHaveLength(1);
    await no.client.close();
  });

  it('is blocked where there is nobody to ask', async () => {
    const { client, run } = await connect({ agentId: 'stranger', below: 'ask' });
    await expect(run()).rejects.toMatchObject(BLOCKED);
    await client.close();
  });

  it('is blocked while the score server is away, unless the operator chose otherwise', async () => {
    const away = { agentId: 'trusted', url: 'http://127.0.0.1:1' };
    const strict = await connect(away);
    await expect(strict.run()).rejects.toMatchObject({
      message: expect.stringContaining('cannot be had now'),
    });
    await strict.client.close();
    const lenient = await connect({ ...away, whenAway: 'allow' });
    expect(await lenient.run()).toEqual(RAN);
    await lenient.client.close();
  });
});

describe('the score that a permission reads', () => {
  it('is remembered for a while, and counts a little longer when the server is away', async () => {
    let [now, asked, away] = [0, 0, false];
    const read = async () => {
      asked++;
      if (away) throw new Error('away');
      return 700;
    };
    const score = createScoreCache({ read, elapsed: () => now, freshMs: 30, staleMs: 600, retryMs: 10 });
    expect([await score('a'), await score('a'), asked]).toEqual([700, 700, 1]);
    now = 31;
    away = true;
    expect([await score('a'), asked]).toEqual([700, 2]);
    now = 601;
    expect(await score('a')).toBeNull();
    away = false;
    expect(await score('a')).toBe(700);
  });

  it('is asked for each time where nothing is to be remembered', async () => {
    let low = 700;
    const read = async () => low++;
    const score = createScoreCache({ read, elapsed: () => 0, freshMs: 0, staleMs: 0, retryMs: 10 });
    expect([await score('a'), await score('a')]).toEqual([700, 701]);
  });

  it('is answered at once while the server hangs, and asked for again in the background', async () => {
    let now = 0;
    const pending: { resolve(low: number): void; reject(error: Error): void }[] = [];
    const read = () => new Promise<number>((resolve, reject) => pending.push({ resolve, reject }));
    const score = createScoreCache({ read, elapsed: () => now, freshMs: 30, staleMs: 600, retryMs: 10 });
    const first = score('a');
    pending[0]?.resolve(700);
    expect(await first).toBe(700);
    now = 31;
    // Whoever finds out that the server hangs waits for it, all of them for the same question.
    const waiting = [score('a'), score('a')];
    pending[1]?.reject(new Error('timed out'));
    expect([await Promise.all(waiting), pending.length]).toEqual([[700, 700], 2]);
    expect([await score('a'), pending.length]).toEqual([700, 2]);
    now = 41;
    expect([await score('a'), await score('a'), pending.length]).toEqual([700, 700, 3]);
    pending[2]?.reject(new Error('timed out'));
    await new Promise(setImmediate);
    now = 51;
    expect([await score('a'), pending.length]).toEqual([700, 4]);
    pending[3]?.resolve(300);
    await new Promise(setImmediate);
    expect([await score('a'), pending.length]).toEqual([300, 4]);
  });
});

describe('a file of permissions', () => {
  const judge = (pattern: string, tool: string) =>
    new Permissions({
      rules: [{ pattern, minReputation: 1, below: 'block' }],
      whenAway: 'block',
      scoreLow: async () => 0,
    }).judge('a', tool);

  it.each([
    ['delete_*', 'delete_file', 'block'],
    ['delete_*', 'undelete_file', 'allow'],
    ['*_file', 'delete_file', 'block'],
    ['*', 'anything', 'block'],
    ['a*b*c', 'aXbYc', 'block'],
    ['a*b*c', 'acb', 'allow'],
    ['ab*ba', 'aba', 'allow'],
    ['run', 'runs', 'allow'],
    ['a.c', 'abc', 'allow'],
  ])('with %s says of %s: %s', async (pattern, tool, action) => {
    expect((await judge(pattern, tool)).action).toBe(action);
  });

  it.each([
    [{}, 'tools'],
    [{ tools: { x: {} } }, 'tools.x.min_reputation'],
    [{ tools: { x: { min_reputation: 1001 } } }, 'tools.x.min_reputation'],
    [{ tools: { x: { min_reputation: 1, below: 'shout' } } }, 'tools.x.below'],
    [{ tools: { x: { min_reputation: 1, mni: 2 } } }, 'tools.x.mni'],
    [{ tools: {}, when_away: 'panic' }, 'when_away'],
    [{ tools: {}, cache_s: -1 }, 'cache_s'],
    [{ tools: {}, surplus: 1 }, 'surplus'],
  ])('refuses %j', (content, path) => {
    expectRefusal(() => parsePermissions(content), path);
  });
});
