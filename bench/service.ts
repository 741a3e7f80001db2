/** The product as a process of its own, over a ledger in a new folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Target {
  url: string;
  said: string;
  child: ChildProcess;
}

export function startService(): Promise<Target> {
  const data = join(mkdtempSync(join(tmpdir(), 'renown-bench-')), 'ledger.duckdb');
  const bin = fileURLToPath(new URL('../bin/renown.js', import.meta.url));
  const limits = ['--rate-limit-per-s', '1000000', '--rate-limit-burst', '1000000'];
  return start([
    '--max-semi-space-size=32',
    bin,
    'serve',
    '--data',
    data,
    '--port',
    '0',
    '--otlp-port',
    '0',
    ...limits,
  ]);
}

export function start(args: string[]): Promise<Target> {
  // The log goes where a service manager would take it: somewhere else.
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /listens on (\S+)/.exec(said)?.[1];
      if (url && said.includes('It is ready')) resolve({ url, said, child });
    });
    child.on('exit', () => reject(new Error(said)));
  });
}

export function keyOf({ said }: Target): string {
  return /pk_live_\w+/.exec(said)?.[0] ?? '';
}
