/** The script of the action against a real server, and a stand-in for GitHub that speaks its HTTP. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startServer, type TestServer } from './support/server.ts';

const ACTION = fileURLToPath(new URL('../examples/github-action', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'renown-action-'));
const comments: { id: number; body: string }[] = [];
let server: TestServer;
let github: Server;
let mayComment = true;

beforeAll(async () => {
  server = await startServer();
  const events = Array.from({ length: 500 }, (_, i) => ({
    evaluation_id: `e${i}`,
    agent_id: 'good',
    passed: true,
    gates: [{ name: 'content', outcome: 'passed', latency_ms: 0 }],
    total_latency_ms: 0,
  }));
  await server.call('/v1/ingest', { body: { events } });
  github = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const [, id] = /\/issues\/comments\/(\d+)$/.exec(request.url ?? '') ?? [];
      const known = comments.find((one) => String(one.id) === id);
      if (request.method === 'POST' && mayComment)
        comments.push({ id: comments.length + 1, ...JSON.parse(text) });
      if (request.method === 'PATCH' && known) known.body = JSON.parse(text).body;
      response.setHeader('content-type', 'application/json');
      response.statusCode = mayComment || request.method === 'GET' ? 200 : 403;
      response.end(JSON.stringify(request.method === 'GET' ? comments : {}));
    });
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  writeFileSync(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }));
});
afterAll(async () => {
  await server.stop();
  github.close();
});

async function run(env: Record<string, string>): Promise<number | null> {
  return (await runAndRead(env)).status;
}

function runAndRead(env: Record<string, string>): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [join(ACTION, 'check.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      RENOWN_URL: server.url,
      RENOWN_KEY: server.pk,
      RENOWN_MIN: '700',
      GITHUB_TOKEN: 'token',
      GITHUB_REPOSITORY: 'acme/bot',
      GITHUB_API_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, output })));
}

it('the action passes, blocks and comments once for each agent', async () => {
  expect(await run({ RENOWN_AGENT: 'good' })).toBe(0);
  expect(await run({ RENOWN_AGENT: 'nobody' })).toBe(11);
  expect(await run({ RENOWN_AGENT: 'nobody', RENOWN_NOT_ENOUGH_EVIDENCE: 'allow' })).toBe(0);
  expect(await run({ RENOWN_AGENT: 'good', RENOWN_MAX_DROP: '50' })).toBe(11);
  expect(comments).toHaveLength(2);
  expect(comments[0]?.body).toContain('`good`');
  expect(comments[1]?.body).toContain('Nobody has evaluated this agent yet.');
  expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('sure to lie between 994 and 1000');
  expect(await run({ RENOWN_AGENT: 'good', RENOWN_KEY: 'pk_live_wrong' })).toBe(1);
});

it.each(['', ' ', 'much'])('the action refuses %j as a minimum', async (RENOWN_MIN) => {
  const { status, output } = await runAndRead({ RENOWN_AGENT: 'good', RENOWN_MIN });
  expect([status, output]).toEqual([2, '::error::Give min as a number, from 0 to 1000.\n']);
});

it('the action answers the same where it may not comment, and says so in one line', async () => {
  mayComment = false;
  const pass = await runAndRead({ RENOWN_AGENT: 'good' });
  const open = await runAndRead({ RENOWN_AGENT: 'nobody' });
  mayComment = true;
  expect([pass.status, open.status]).toEqual([0, 11]);
  expect(pass.output.trim().split('\n').at(-1)).toBe(
    '::warning::The answer is not on the pull request: GitHub answered 403.',
  );
});

it('the action hands every input that it names to the script', () => {
  const { inputs, runs } = parse(readFileSync(join(ACTION, 'action.yml'), 'utf8'));
  const used = JSON.stringify(runs.steps[0].env);
  for (const name of Object.keys(inputs)) expect(used).toContain(`inputs.${name} `);
});
