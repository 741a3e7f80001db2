/** MCP through the real proxy: a real client, or a pipe that says exactly what a test wants it to say. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BIN } from './renown.ts';

export const ECHO_SERVER = [process.execPath, fixture('echo-server.js')] as const;
export const SCRIPTED_SERVER = [process.execPath, fixture('scripted-server.js')] as const;
export const EVERYTHING_SERVER = [process.execPath, packaged('server-everything')] as const;
export const FILESYSTEM_SERVER = [process.execPath, packaged('server-filesystem')] as const;

export interface ProxySetting {
  options?: readonly string[];
  server: readonly string[];
  env?: Record<string, string>;
}

/** A home folder of its own, so that each test reads only its own log. */
export function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'renown-home-'));
}

export function proxyCommand({ options = [], server }: ProxySetting): string[] {
  return [BIN, 'proxy', ...options, '--', ...server];
}

/** The official client, connected through the proxy. */
export async function connect(setting: ProxySetting & { home: string }): Promise<Client> {
  const client = new Client({ name: 'test-client', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: proxyCommand(setting),
      env: { ...(process.env as Record<string, string>), ...setting.env, HOME: setting.home },
      stderr: 'ignore',
    }),
  );
  return client;
}

/** The proxy as a process whose pipes the test holds. */
export function startProxy(setting: ProxySetting & { home: string }): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, proxyCommand(setting), {
    env: { ...process.env, ...setting.env, HOME: setting.home },
  });
}

/** Everything the process wrote, and how it ended. */
export async function outcomeOf(process: ChildProcessWithoutNullStreams) {
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  process.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  process.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    process.on('close', (...end) => resolve(end)),
  );
  return { code, signal, stdout: Buffer.concat(output).toString(), stderr: Buffer.concat(errors).toString() };
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into lines of every shape.
export function readLog(home: string): any[] {
  const folder = join(home, '.renown', 'logs');
  return readdirSync(folder)
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line));
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/mcp/${name}`, import.meta.url));
}

function packaged(name: string): string {
  return fileURLToPath(
    new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url),
  );
}
