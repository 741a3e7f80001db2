/**
 * The service over HTTP beside a bare node:http echo of the same bodies. Both are processes of their own, asked by the same
 * load in turn, so that whatever else the machine does falls on both. Every answer of the service comes after a commit.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { keyOf, start, startService, type Target } from './service.ts';

const ROUNDS = 3;
const SECONDS = 5;
const CONNECTIONS = 64;
const AGENTS = 50;
const BATCH = 100;

interface Load {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  connections: number;
  /** A new body for each request; nothing in it is ever sent twice. */
  body?: () => string;
}

interface Figures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export async function run(args: string[]): Promise<void> {
  const echo = await start([fileURLToPath(new URL('./http-echo.js', import.meta.url))]);
  const service = await startService();
  try {
    if (args[0] !== 'memory') await compare(echo, service);
    if (args[0] !== 'load') await measureMemory(service);
  } finally {
    echo.child.kill('SIGKILL');
    service.child.kill('SIGKILL');
  }
}

async function compare(echo: Target, service: Target): Promise<void> {
  const key = keyOf(service);
  for (const { load, aim, unit, per } of LOADS) {
    const [yardstick, measured]: [Figures[], Figures[]] = [[], []];
    // The first round is for the compilers of all three programs, and counts for none.
    for (let round = 0; round <= ROUNDS; round++) {
      const [bare, own] = [await fire(echo.url, load, key), await fire(service.url, load, key)];
      if (round === 0) continue;
      yardstick.push(bare);
      measured.push(own);
    }
    const [bare, own] = [medianOf(yardstick), medianOf(measured)];
    const share = `${((100 * own.perSecond) / bare.perSecond).toFixed(0)} %`;
    print(load.name, [
      `${count(own.perSecond * per)} ${unit}/s`,
      `p50 ${own.p50Ms.toFixed(1)} ms, p99 ${own.p99Ms.toFixed(1)} ms`,
      `${share} of node:http (${count(bare.perSecond)} requests/s)`,
      aim,
    ]);
  }
}

const LOADS: { load: Load; aim: string; unit: string; per: number }[] = [
  {
    load: {
      name: 'evaluate, durable',
      method: 'POST',
      path: '/v1/evaluate',
      connections: CONNECTIONS,
      body: evaluateBody(),
    },
    aim: 'aim ≥ 25 %, p99 ≤ 40 ms',
    unit: 'requests',
    per: 1,
  },
  {
    load: {
      name: `ingest, batches of ${BATCH}`,
      method: 'POST',
      path: '/v1/ingest',
      connections: 16,
      body: ingestBody(),
    },
    aim: 'aim ≥ 40,000 events/s',
    unit: 'events',
    per: BATCH,
  },
  {
    load: {
      name: 'reputation, read',
      method: 'GET',
      path: '/v1/reputation/agent-7',
      connections: CONNECTIONS,
    },
    aim: 'aim ≥ 45 %',
    unit: 'requests',
    per: 1,
  },
];

function evaluateBody(): () => string {
  let i = 0;
  return () =>
    JSON.stringify({
      agent_id: `agent-${i++ % AGENTS}`,
      output: 'Your parcel left our warehouse this morning and should reach you on Tuesday, before noon.',
      input: 'Where is my parcel?',
      tool: 'send_reply',
      latency_ms: 840,
      session_id: `session-${i % 200}`,
    });
}

function ingestBody(): () => string {
  const gates = ['filesystem', 'pii', 'secrets', 'content', 'injection'].map((name) => ({
    name,
    outcome: 'passed',
    passed: true,
    latency_ms: 0.02,
  }));
  const events = Array.from({ length: BATCH }, (_, i) => ({
    evaluation_id: `@-${i}`,
    agent_id: `agent-${i % AGENTS}`,
    tool: 'send_reply',
    passed: true,
    gates,
    total_latency_ms: 0.11,
    latency_ms: 840,
    timestamp: 1_790_000_000_000,
    source: 'sdk',
  }));
  const parts = JSON.stringify({ events }).split('@');
  const prefix = process.pid.toString(36) + Date.now().toString(36);
  let batch = 0;
  return () => parts.join(`${prefix}-${batch++}`);
}

async function fire(url: string, { method, path, connections, body }: Load, key: string): Promise<Figures> {
  const result = await autocannon({
    url: `${url}${path}`,
    method,
    connections,
    duration: SECONDS,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && {
      requests: [{ setupRequest: (request: autocannon.Request) => ({ ...request, body: body() }) }],
    }),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${path}: ${result.non2xx} refusals and ${result.errors} errors`);
  }
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}

/** A ledger that grows must not grow in memory: fingerprints and windows are all that stays. */
async function measureMemory(service: Target): Promise<void> {
  const load = LOADS[1]?.load;
  if (!load?.body) return;
  const body = load.body;
  const key = keyOf(service);
  const ingest = async (events: number) => {
    const result = await autocannon({
      url: `${service.url}${load.path}`,
      method: 'POST',
      connections: 16,
      amount: events / BATCH,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      requests: [{ setupRequest: (request: autocannon.Request) => ({ ...request, body: body() }) }],
    });
    if (result.non2xx > 0) throw new Error(`${result.non2xx} refusals`);
    return residentMiB(service.child.pid ?? 0);
  };
  const early = await ingest(200_000);
  const late = await ingest(800_000);
  print('resident memory', [
    `${early.toFixed(0)} MiB after 200,000 more, ${late.toFixed(0)} MiB after 1,000,000`,
    `${(late / early).toFixed(2)}×`,
    'aim ≤ 1.2×',
  ]);
}

function residentMiB(pid: number): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

function medianOf(figures: Figures[]): Figures {
  const sorted = figures.toSorted((a, b) => a.perSecond - b.perSecond);
  return sorted[sorted.length >> 1] as Figures;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function print(name: string, cells: string[]): void {
  process.stdout.write(`  ${name.padEnd(24)}  ${cells.join('  ')}\n`);
}
