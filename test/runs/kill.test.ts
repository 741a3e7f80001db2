import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { uuidv7 } from 'uuidv7';
import { expect, it } from 'vitest';
import { RunBell } from '../../src/service/run-bell.ts';
import { createRun, readRunWire } from '../../src/service/session-runs.ts';
import { openStore } from '../../src/store/open-store.ts';
import { CALLER, createNode, createOrg, fillSessions } from './node.ts';

const WRITER = fileURLToPath(new URL('./run-writer.js', import.meta.url));
const SESSIONS = 1_500;
const NEWCOMER = {
  sessionId: 'a-newcomer',
  traceId: 't',
  agentId: null,
  signals: { confidence: 1 },
  startedAt: null,
  tags: [],
  source: 'test',
};

it('a run whose process is killed in the middle goes on in the next, and scores every session once', async () => {
  const url = `duckdb:${join(mkdtempSync(join(tmpdir(), 'renown-')), 'ledger.duckdb')}`;
  const asking = await openStore(url);
  await createOrg(asking);
  await fillSessions(asking, { sessions: SESSIONS, traces: 1 });
  // A bell that rings for nobody: a scheduler that hears it would be at work while the store is closed.
  const asker = { store: asking, clock: Date.now, newId: uuidv7, runBell: new RunBell() };
  const { run_id: runId } = await createRun(asker, CALLER, { filter: {} });
  await asking.close();

  await killAfterFirstScores(url);

  // The lease of the dead process has to run out, which a clock in our hand lets it do at once.
  const store = await openStore(url);
  const later = () => Date.now() + 60_000;
  const scored = (await store.sessionScores.scoredBy('acme', runId)).size;
  expect(scored).toBeGreaterThan(0);
  expect(scored).toBeLessThan(SESSIONS);
  // What was heard of since is no part of it.
  await store.signals.append('acme', [NEWCOMER]);
  const node = createNode(store, later);
  await node.settle();
  expect(await readRunWire(node.context, CALLER, runId)).toMatchObject({
    state: 'completed',
    progress: { selected: SESSIONS, evaluated: SESSIONS, failed: 0, traces: SESSIONS },
  });
  const { items: choices } = await store.documents.list('acme', 'session_run_chosen', { limit: 10 });
  expect(choices).toEqual([]);
  const buckets = await store.sessionScores.aggregate('acme', {}, 1e17);
  expect(buckets.map(({ sessions }) => sessions)).toEqual([SESSIONS, SESSIONS]);
  let listed = 0;
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof store.sessionScores.list>> = await store.sessionScores.list(
      'acme',
      {},
      { cursor, limit: 1_000 },
    );
    listed += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(listed).toBe(2 * SESSIONS);
  await store.close();
}, 120_000);

function killAfterFirstScores(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const writer = spawn(process.execPath, [WRITER, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    writer.stdout.once('data', () => writer.kill('SIGKILL'));
    writer.on('error', reject);
    writer.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve();
      else reject(new Error(`the node ended by itself, with ${code}`));
    });
  });
}
