/** Two processes over one ClickHouse reach for the same moment of a monitor at once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { createMonitor, listMonitorRuns } from '../../src/service/session-monitors.ts';
import { openStore } from '../../src/store/open-store.ts';
import { Ledgers } from '../support/clickhouse/ledgers.ts';
import { CLICKHOUSE } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';
import { CALLER, createNode, createOrg, fillSessions } from './node.ts';

// A statement takes seconds where the engine is emulated.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const NODE = fileURLToPath(new URL('./tick-node.js', import.meta.url));
const MADE = Date.parse('2026-11-15T10:00:00Z');
const DUE = Date.parse('2026-11-16T00:00:05Z');

describeWith(CLICKHOUSE, 'two nodes on ClickHouse', () => {
  it('run a moment once, and score each session once', async () => {
    const ledgers = await Ledgers.start();
    const { url, spoolDir } = await ledgers.take();
    const store = await openStore(url, { clock: () => MADE, spoolDir });
    await createOrg(store);
    await fillSessions(store, { sessions: 4, traces: 2 });
    const { context } = createNode(store, () => MADE);
    const { monitor_id: monitorId } = await createMonitor(context, CALLER, {
      name: 'Nightly',
      cadence: 'daily',
      filter: {},
    });

    const nodes = await Promise.all(['one', 'two'].map((name) => startNode(url, spoolDir, name)));
    for (const node of nodes) node.stdin?.write('go\n');
    const exits = await Promise.all(nodes.map((node) => once(node, 'close')));
    expect(exits.map(([code]) => code)).toEqual([0, 0]);

    const { items } = await listMonitorRuns(context, CALLER, { monitorId });
    expect(items).toMatchObject([
      {
        state: 'completed',
        tick: '2026-11-16T00:00:00.000Z',
        progress: { evaluated: 4, failed: 0, traces: 8 },
      },
    ]);
    const [rows] = await (
      await ledgers.client.query({
        query: `SELECT toFloat64(count()) AS rows FROM ${new URL(url.replace('clickhouse', 'http')).pathname.slice(1)}.session_scores`,
        format: 'JSONEachRow',
      })
    ).json<{ rows: number }>();
    expect(rows?.rows).toBe(8);
    await store.close();
    await ledgers.stop();
  });
});

async function startNode(url: string, spoolDir: string, name: string): Promise<ChildProcess> {
  const node = spawn(process.execPath, [NODE, url, `${spoolDir}/${name}`, name, String(DUE)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(node.stdout, 'data');
  return node;
}
