/**
 * Finds or starts a current ClickHouse: the server that CLICKHOUSE_URL names, a `clickhouse` on the PATH, or the engine
 * that scripts/clickhouse-for-tests.sh has installed, behind a small HTTP front.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tool } from '../describe-with.ts';

const CACHE = join(process.env.RENOWN_TEST_CACHE ?? join(homedir(), '.cache', 'renown-test'), 'clickhouse');

export const CLICKHOUSE: Tool = {
  name: 'ClickHouse',
  probe: [
    'sh',
    '-c',
    `test -n "$CLICKHOUSE_URL" || command -v clickhouse || test -e "${join(CACHE, 'ready')}"`,
  ],
  install: 'run scripts/clickhouse-for-tests.sh, or set CLICKHOUSE_URL',
};

/**
 * For suites of hundreds of statements. Where the engine is emulated a statement takes a second or more, and these alone
 * would take longer than all of CI may: there they run when RENOWN_TEST_EMULATED=all asks for them.
 */
export const QUICK_CLICKHOUSE: Tool = {
  name: 'ClickHouse without emulation',
  probe: [
    'sh',
    '-c',
    `test -n "$CLICKHOUSE_URL" || command -v clickhouse || test "$(cat "${join(CACHE, 'mode')}")" = native ||
     { test "$RENOWN_TEST_EMULATED" = all && test -e "${join(CACHE, 'ready')}"; }`,
  ],
  install: 'set CLICKHOUSE_URL, or RENOWN_TEST_EMULATED=all to run it under emulation',
  required: false,
};

export interface RunningClickhouse {
  url: string;
  stop(): void;
}

export async function startClickhouse(): Promise<RunningClickhouse> {
  if (process.env.CLICKHOUSE_URL) return { url: process.env.CLICKHOUSE_URL, stop: () => undefined };
  const port = await freePort();
  const engine = startProcess(port);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, engine);
  return { url, stop: () => engine.kill('SIGKILL') };
}

function startProcess(port: number): ChildProcess {
  const folder = mkdtempSync(join(tmpdir(), 'renown-clickhouse-'));
  const mode = installedMode();
  if (mode === null) {
    const args = ['server', '--', `--http_port=${port}`, `--path=${folder}`, '--listen_host=127.0.0.1'];
    return spawn('clickhouse', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  // Beside its packages, because that is where it looks for them.
  const front = join(CACHE, 'app', 'front.cjs');
  copyFileSync(fileURLToPath(new URL('./front.cjs', import.meta.url)), front);
  const args = [front, folder, String(port)];
  if (mode === 'native') return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const node = join(CACHE, 'node', 'package', 'bin', 'node');
  return spawn('qemu-x86_64', ['-cpu', 'max', '-L', join(CACHE, 'root'), node, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** `native` or `emulated`; null when a `clickhouse` of the machine's own is to be used. */
function installedMode(): string | null {
  try {
    return readFileSync(join(CACHE, 'mode'), 'utf8').trim();
  } catch {
    return null;
  }
}

async function untilReady(url: string, engine: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt++) {
    if (engine.exitCode !== null) throw new Error(`ClickHouse ended by itself, with ${engine.exitCode}`);
    const answer = await fetch(`${url}/ping`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  engine.kill('SIGKILL');
  throw new Error('ClickHouse did not answer within two minutes');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
