/** The server as people run it: a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { BIN } from './renown.ts';

export interface Running {
  url: string;
  /** What it said at its start. */
  said: string;
  log: () => string;
  child: ChildProcess;
  ended: Promise<number | string | null>;
}

const children: ChildProcess[] = [];

/** For after each test: none outlives it. */
export function killServers(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL');
}

/** Runs `renown serve` on any port that is free, and answers when it is ready. */
export function startServerProcess(
  args: string[],
  env: Record<string, string> = {},
  program = BIN,
): Promise<Running> {
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? code));
  });
  return new Promise((resolve, reject) => {
    let [said, log] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /listens on (\S+)/.exec(said)?.[1];
      if (url && said.includes('It is ready')) resolve({ url, said, log: () => log, child, ended });
    });
    ended.then((code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
}

/** The key of a kind that a first start shows. */
export function keyIn(text: string, kind: 'pk' | 'sk'): string {
  return new RegExp(`${kind}_live_[0-9a-f]{40}`).exec(text)?.[0] ?? '';
}
