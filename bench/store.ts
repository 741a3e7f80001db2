/**
 * The embedded ledger at ten million evaluations over ten thousand agents, and ten million events over ten thousand
 * identities. `npm run bench -- store 1000000` does the same with fewer. The file goes to the system's temporary folder.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIGINT, BOOLEAN, DOUBLE, DuckDBDataChunk, DuckDBInstance, VARCHAR } from '@duckdb/node-api';
import { openStore } from '../src/store/open-store.ts';
import type { Evaluation, ReputationEvent, Store } from '../src/store/store.ts';
import { format } from './measure.ts';

const AGENTS = 10_000;
const BATCH = 1_000;
/** Enough for several checkpoints to fall into it: a shorter look meets one or none, and is off by half. */
const MEASURED = 1_000 * BATCH;
const DAY_MS = 86_400_000;
const NOW = 1_780_000_000_000;

export async function run([rowsText]: string[]): Promise<void> {
  const rows = Number(rowsText ?? 10_000_000);
  const folder = mkdtempSync(join(tmpdir(), 'renown-bench-'));
  const path = join(folder, 'ledger.duckdb');
  try {
    line(
      'raw appender, one commit per 1,000 rows',
      `${perSecond(await rawAppender(folder), 200 * BATCH)} rows/s`,
      '',
    );
    let store = await openStore(`duckdb:${path}`);
    for (const concurrency of [1, 64, 1_024]) await durable(store, concurrency);
    await fill(rows, (from) => store.evaluations.append('org', batchOf(from)));
    const written = await timed(() =>
      fill(MEASURED, (from) => store.evaluations.append('org', batchOf(rows + from))),
    );
    line(
      `evaluations in batches of 1,000, ${millions(rows)} million in the file`,
      `${perSecond(written, MEASURED)} rows/s`,
      '≥ 100,000/s',
    );
    await store.close();
    const size = statSync(path).size;
    line('bytes per evaluation on disk', format(size / (rows + MEASURED)), '');

    const opening = await timed(async () => {
      store = await openStore(`duckdb:${path}`);
    });
    line('opening', `${format(opening)} ms`, '');
    await latencies('window of an agent, cold', '≤ 10 ms', (i) =>
      store.evaluations.reputation('org', `agent-${(i * 37) % AGENTS}`),
    );
    await latencies('page of 50 of one agent', '', (i) =>
      store.evaluations.list('org', { agentId: `agent-${(i * 37) % AGENTS}` }, { limit: 50 }),
    );
    await fill(rows, (from) => store.identities.append('org', eventsOf(from)));
    await latencies(`identity, ${millions(rows)} million events`, '≤ 10 ms', (i) =>
      store.identities.score('org', identity((i * 37) % AGENTS), NOW),
    );
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One evaluation per call, so many calls under way at a time, each answered after its commit. */
async function durable(store: Store, concurrency: number): Promise<void> {
  const total = Math.max(300, concurrency * 20);
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < total) {
      const id = `c${concurrency}-${next++}`;
      const start = performance.now();
      await store.evaluations.append('org', [evaluationOf(id, next)]);
      times.push(performance.now() - start);
    }
  };
  const elapsed = await timed(() => Promise.all(Array.from({ length: concurrency }, worker)));
  const { p50, p99 } = percentiles(times);
  line(
    `durable evaluations, concurrency ${concurrency}`,
    `${perSecond(elapsed, total)}/s, p50 ${p50} ms, p99 ${p99} ms`,
    '',
  );
}

/** Eight batches under way at a time, as eight busy clients would. */
async function fill(rows: number, append: (from: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < rows) {
      const from = next;
      next += BATCH;
      await append(from);
      if (from % 1_000_000 === 0 && process.stderr.isTTY)
        process.stderr.write(`\r${millions(from)} million `);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

async function latencies(name: string, aim: string, read: (i: number) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < 200; i++) times.push(await timed(() => read(i)));
  const { p50, p99 } = percentiles(times);
  line(name, `p50 ${p50} ms, p99 ${p99} ms`, aim);
}

/** The yardstick: four plain columns, nothing kept, nothing checked. */
async function rawAppender(folder: string): Promise<number> {
  const instance = await DuckDBInstance.create(join(folder, 'raw.duckdb'));
  const connection = await instance.connect();
  await connection.run('CREATE TABLE raw (seq BIGINT, id VARCHAR, passed BOOLEAN, latency DOUBLE)');
  const elapsed = await timed(async () => {
    for (let batch = 0; batch < 200; batch++) {
      await connection.run('BEGIN');
      const chunk = DuckDBDataChunk.create([BIGINT, VARCHAR, BOOLEAN, DOUBLE], BATCH);
      const ids = Array.from({ length: BATCH }, (_, i) => batch * BATCH + i);
      chunk.setColumns([ids.map(BigInt), ids.map(idOf), ids.map((i) => i % 9 > 0), ids.map((i) => i / 7)]);
      const appender = await connection.createAppender('raw');
      appender.appendDataChunk(chunk);
      appender.closeSync();
      await connection.run('COMMIT');
    }
  });
  connection.closeSync();
  instance.closeSync();
  return elapsed;
}

function batchOf(from: number): Evaluation[] {
  return Array.from({ length: BATCH }, (_, i) => evaluationOf(idOf(from + i), from + i));
}

function evaluationOf(evaluationId: string, i: number): Evaluation {
  return {
    evaluationId,
    agentId: `agent-${i % AGENTS}`,
    tool: TOOLS[i % TOOLS.length] ?? null,
    passed: i % 19 !== 0,
    counts: true,
    gates: GATES,
    totalLatencyMs: (i % 97) / 100,
    latencyMs: i % 2_000,
    source: 'sdk',
    knownAs: 'reported',
    direction: null,
    suiteHash: 'f2c1a9',
    sampleRate: 1,
    model: 'model-1',
    version: null,
    sessionId: `session-${i % 5_000}`,
    traceId: null,
    tags: [],
    occurredAt: NOW + i,
  };
}

function eventsOf(from: number): ReputationEvent[] {
  return Array.from({ length: BATCH }, (_, k): ReputationEvent => {
    const i = from + k;
    return {
      eventId: idOf(i),
      identityId: identity(i % AGENTS),
      timestamp: NOW - Math.floor(((i * 7_919) % 1_000_003) * ((130 * DAY_MS) / 1_000_003)),
      category: (['task_quality', 'economic', 'identity_hygiene'] as const)[i % 3] ?? 'economic',
      eventType: 'task_completed',
      scoreDelta: ((i % 41) - 20) / 20,
      confidence: 1,
      referenceType: '',
      referenceId: '',
      attributes: {},
      revision: 0,
    };
  });
}

const TOOLS = ['read_file', 'write_file', 'search', 'run'];
const GATES = ['filesystem', 'pii', 'secrets', 'content', 'injection'].map((name) => ({
  name,
  outcome: 'passed' as const,
  latencyMs: 0.01,
  reason: null,
}));

/** The shape of a UUIDv7: what real ids look like. */
function idOf(i: number): string {
  return `0190e3a4-7b1c-7000-8000-${i.toString(16).padStart(12, '0')}`;
}

function identity(i: number): string {
  return `b6f0c7f4-3b0e-4a53-9d4e-${i.toString(16).padStart(12, '0')}`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function percentiles(times: number[]): { p50: string; p99: string } {
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) =>
    format(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}

function perSecond(elapsedMs: number, count: number): string {
  return Math.round(count / (elapsedMs / 1000)).toLocaleString('en');
}

function millions(rows: number): string {
  return format(rows / 1e6);
}

function line(name: string, figure: string, aim: string): void {
  process.stdout.write(`  ${name.padEnd(62)}  ${figure.padEnd(40)}  ${aim}\n`);
}
