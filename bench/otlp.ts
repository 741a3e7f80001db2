/**
 * The OTLP receiver: log records of Claude Code as protobuf, about 600 bytes each, in batches of 512, no two alike. Each
 * answer comes after its commit. The service is a process of its own; this one sends, over connections that stay open.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { encodeOtlp } from '../test/support/otlp-proto.ts';
import { logRequests } from './otlp-logs.ts';
import { startService, type Target } from './service.ts';

const BATCH = 512;
const BATCHES = 400;
const CONNECTIONS = 16;
const ROUNDS = 3;

export async function run(): Promise<void> {
  const service = await startService();
  try {
    for (let round = 0; round < ROUNDS; round++) await measure(service, round + 1);
  } finally {
    service.child.kill('SIGKILL');
  }
}

async function measure(service: Target, round: number): Promise<void> {
  const url = /received on (\S+?):? /.exec(service.said)?.[1] ?? '';
  const bodies = takeBodies(round);
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  const latencies: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const cpuBefore = cpuSecondsOf(service);
  const startedAt = performance.now();
  let next = 0;
  const sender = async () => {
    for (let body = bodies[next++]; body; body = bodies[next++]) {
      const sentAt = performance.now();
      await send(`${url}/v1/logs`, body, agent);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(0);
  const perSecond = Math.round((BATCH * BATCHES) / seconds).toLocaleString('en');
  const rate = (bytes / 1e6 / seconds).toFixed(0);
  const perCpuSecond = Math.round((BATCH * BATCHES) / (cpuSecondsOf(service) - cpuBefore)).toLocaleString(
    'en',
  );
  process.stdout.write(
    `  round ${round}  ${perSecond} records/s  ${rate} MB/s  p50 ${at(0.5)} ms, p99 ${at(0.99)} ms a batch  ${perCpuSecond} records a second of its CPU  aim ≥ 50,000\n`,
  );
}

/** What the service has used of all cores, which a machine that does other things falsifies less than the clock. Linux only. */
function cpuSecondsOf({ child }: Target): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
}

const CLOCK_TICKS = 100;

/** Made before the clock starts. */
function takeBodies(seed: number): Buffer[] {
  const bodies: Buffer[] = [];
  for (const { request: batch } of logRequests(BATCH, seed)) {
    bodies.push(encodeOtlp('logs', batch));
    if (bodies.length === BATCHES) break;
  }
  return bodies;
}

function send(url: string, body: Buffer, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/x-protobuf', 'content-length': body.length },
      },
      (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`answered ${response.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
