/** The same agent through all doors: one window, and the source tells them apart. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_SUITE, openSuite, Renown } from '../src/sdk/index.ts';
import { connect, ECHO_SERVER, newHome } from './support/mcp.ts';
import { startServer, type TestServer } from './support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

it('puts evaluations of one agent through SDK, proxy and REST into one window', async () => {
  const renown = new Renown({ url: server.url, key: server.pk });
  const engine = await openSuite(DEFAULT_SUITE);
  renown.track(await engine.evaluate({ agent_id: 'one', output: 'Hello.' }));
  await renown.close();

  const client = await connect({
    home: newHome(),
    server: ECHO_SERVER,
    options: ['--agent-id', 'one', '--url', server.url, '--key', server.pk],
  });
  await client.callTool({ name: 'echo', arguments: { text: 'Hello.' } });
  await expect(client.callTool({ name: 'run', arguments: { command: 'rm -rf /' } })).rejects.toThrow(
    'filesystem',
  );
  // A page that somebody poisoned blocks, is stored, and does not count.
  await expect(client.callTool({ name: 'browse', arguments: {} })).rejects.toThrow('injection');
  await client.close();

  await renown.evaluate({ agent_id: 'one', output: 'Hello.' });
  await expect
    .poll(async () => (await server.call('/v1/events?agent_id=one')).json.items.length, { timeout: 10_000 })
    .toBe(5);
  const { items } = (await server.call('/v1/events?agent_id=one')).json;
  const told = items.map(({ source, passed, counts, direction }: Record<string, unknown>) => [
    source,
    passed,
    counts,
    direction,
  ]);
  expect(told).toHaveLength(5);
  expect(told).toEqual(
    expect.arrayContaining([
      ['sdk', true, true, null],
      ['proxy', true, true, null],
      ['proxy', false, true, 'request'],
      ['proxy', false, false, 'response'],
      ['api', true, true, null],
    ]),
  );
  // One suite judged at every door, and says so.
  expect(new Set(items.map(({ suite_hash }: { suite_hash: string }) => suite_hash)).size).toBe(1);
  expect(await renown.reputation('one')).toMatchObject({ eval_count: 4, passed: 3 });
});
