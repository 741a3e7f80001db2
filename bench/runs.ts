/**
 * A run over ten thousand sessions of a hundred traces each, on the embedded ledger: how long it takes, how often it says
 * how far it is, and how much memory it needs. `npm run bench -- runs 1000 100` does the same with fewer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { createRandom } from '../src/core/stats/random.ts';
import { carryOutRun } from '../src/service/carry-out-run.ts';
import { createRunDocument } from '../src/service/run-document.ts';
import { toRunPlan } from '../src/service/run-plan.ts';
import { takeRun } from '../src/service/scheduler.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/store.ts';
import { format } from './measure.ts';

const BATCH = 1_000;

export async function run([sessionsText, tracesText]: string[]): Promise<void> {
  const sessions = Number(sessionsText ?? 10_000);
  const traces = Number(tracesText ?? 100);
  const folder = mkdtempSync(join(tmpdir(), 'renown-bench-'));
  const url = `duckdb:${join(folder, 'ledger.duckdb')}`;
  try {
    const filling = await openStore(url);
    const filled = await timed(() => fill(filling, sessions, traces));
    line('signals in batches of 1,000 traces', `${perSecond(filled, sessions * traces)} traces/s`);
    await filling.close();
    const store = await openStore(url);
    await score(store, sessions * traces);
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function fill(store: Store, sessions: number, traces: number): Promise<void> {
  const random = createRandom(20_261_115);
  for (let i = 0; i < sessions * traces; i += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, sessions * traces - i) }, (_, j) => {
      const place = i + j;
      return {
        sessionId: `session-${Math.floor(place / traces)}`,
        traceId: `turn-${place % traces}`,
        agentId: `agent-${Math.floor(place / traces) % 50}`,
        signals: {
          confidence: random(),
          loop_detection: random(),
          tool_correctness: random(),
          coherence: random(),
        },
        startedAt: null,
        tags: [],
        source: 'bench',
      };
    });
    await store.signals.append('org', batch);
  }
}

async function score(store: Store, traces: number): Promise<void> {
  const node = { store, clock: Date.now, holder: 'bench' };
  const plan = toRunPlan({ filter: {} });
  const at = Date.now();
  const pending = await createRunDocument(store, {
    orgId: 'org',
    runId: uuidv7(),
    plan,
    at,
    monitorId: null,
    tick: null,
  });
  const taken = await takeRun(node, pending);
  if (!taken) throw new Error('the run was not taken');
  let words = 0;
  let rss = 0;
  const watch = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 20);
  const before = process.memoryUsage.rss();
  const started = performance.now();
  const done = await carryOutRun(node, taken, {
    stopping: new AbortController().signal,
    onProgress: () => {
      words++;
    },
  });
  const elapsed = performance.now() - started;
  clearInterval(watch);
  const { state, progress } = done.body;
  line(
    `run of ${progress.evaluated} sessions, ${state}`,
    `${format(elapsed / 1000)} s, ${perSecond(elapsed, traces)} traces/s`,
  );
  line('words on progress', String(words));
  line('RSS before, and at most', `${megabytes(before)}, ${megabytes(rss)} MB (aim: under 500)`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function perSecond(ms: number, count: number): string {
  return Math.round((count / ms) * 1000).toLocaleString('en');
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

function line(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(50)} ${figure}\n`);
}
