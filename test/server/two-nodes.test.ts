/** Two servers over one ClickHouse: what one of them acknowledges the other knows, and a key that is gone is gone on both. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { Ledgers } from '../support/clickhouse/ledgers.ts';
import { QUICK_CLICKHOUSE } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';
import { send } from '../support/server.ts';
import { keyIn, killServers, startServerProcess } from '../support/server-process.ts';

// A statement takes seconds where the engine is emulated.
vi.setConfig({ testTimeout: 2_400_000, hookTimeout: 600_000 });
afterEach(killServers);

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeWith(QUICK_CLICKHOUSE, 'two servers on one ClickHouse', () => {
  it('agree on a score, count one id once, and follow each other in keys and gates', async () => {
    const ledgers = await Ledgers.start();
    const { url } = await ledgers.take();
    const node = () => {
      const folder = mkdtempSync(join(tmpdir(), 'renown-node-'));
      // Both can open what one of them has sealed, as docs/operating/clickhouse.md asks for.
      const env = { RENOWN_MASTER_KEY: 'a key that both nodes share, of some length' };
      return startServerProcess(['--store', url, '--spool', join(folder, 'spool')], env);
    };
    const one = await node();
    const two = await node();
    const [pk, sk] = [keyIn(one.said, 'pk'), keyIn(one.said, 'sk')];
    expect(keyIn(two.said, 'pk')).toBe('');

    const events = (prefix: string, count: number, passed: boolean) =>
      Array.from({ length: count }, (_, i) => ({
        evaluation_id: `${prefix}-${i}`,
        agent_id: 'shared',
        passed,
        gates: [{ name: 'content', outcome: passed ? 'passed' : 'failed', latency_ms: 1 }],
        total_latency_ms: 1,
      }));
    const ingest = (server: { url: string }, batch: object[]) =>
      send(server.url, '/v1/ingest', { key: pk, body: { events: batch } });
    expect((await ingest(one, events('a', 30, true))).status).toBe(202);
    expect((await ingest(two, events('b', 25, false))).status).toBe(202);
    // The same ids at the other node: acknowledged, and counted once.
    expect((await ingest(two, events('a', 30, true))).status).toBe(202);

    await sleep(2_000);
    const [first, second] = await Promise.all(
      [one, two].map(({ url: at }) => send(at, '/v1/reputation/shared', { key: pk })),
    );
    expect(first?.json).toMatchObject({ evaluations: 55, passed: 30, lifetime_evaluations: 55, streak: 0 });
    expect(second?.json).toEqual(first?.json);

    const suite = { gates: ['content', { latency: { max_ms: 5 } }] };
    const chosen = await send(one.url, '/v1/gates', { method: 'PUT', key: sk, body: suite });
    expect(chosen.status).toBe(200);
    const { json: made } = await send(one.url, '/v1/keys', { key: sk, body: { kind: 'pk' } });
    expect((await send(two.url, '/v1/gates', { key: made.key })).status).toBe(200);
    await send(one.url, `/v1/keys/${made.key_id}`, { method: 'DELETE', key: sk });
    await sleep(LIMITS.keyTrustMs);
    expect((await send(two.url, '/v1/gates', { key: made.key })).status).toBe(401);
    expect((await send(two.url, '/v1/gates', { key: pk })).json.suite_hash).toBe(chosen.json.suite_hash);
    await ledgers.stop();
  });
});
