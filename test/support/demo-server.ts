/** The program as a newcomer starts it: `renown serve --demo`, in a process of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIN } from './renown.ts';

export interface DemoServer {
  url: string;
  /** The file of the ledger. */
  data: string;
  pk: string;
  sk: string;
  /** Signs its holder in, once. */
  link: string;
  stop(): Promise<void>;
}

export async function startDemo({
  data = join(mkdtempSync(join(tmpdir(), 'renown-')), 'ledger.duckdb'),
  port = 0,
}: {
  data?: string;
  port?: number;
} = {}): Promise<DemoServer> {
  const args = [BIN, 'serve', '--demo', '--port', String(port), '--data', data];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('It is ready')) resolve();
    });
    ended.then(() => reject(new Error(`The server ended before it was ready: ${said}`)));
  });
  const find = (pattern: RegExp) => pattern.exec(said)?.[0] ?? '';
  return {
    url: find(/(?<=listens on )\S+/),
    data,
    pk: find(/pk_live_\w+/),
    sk: find(/sk_live_\w+/),
    link: find(/https?:\S+\/#[0-9a-f]{64}/),
    async stop() {
      server.kill();
      await ended;
    },
  };
}
