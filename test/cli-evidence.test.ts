/** The commands about evidence: over the store, over a running server found beside it, and over a URL with a key. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BIN } from './support/renown.ts';
import { startServer, type TestServer } from './support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'renown-cli-'));
let server: TestServer;

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

beforeAll(async () => {
  server = await startServer({ settings: { webhook_networks: ['127.0.0.0/8'] } });
  const events = (agent_id: string, count: number, version: string, failEvery = 0) =>
    Array.from({ length: count }, (_, i) => {
      const passed = failEvery === 0 || i % failEvery !== 0;
      return {
        evaluation_id: `${agent_id}-${version}-${i}`,
        agent_id,
        version,
        passed,
        gates: [{ name: 'content', outcome: passed ? 'passed' : 'failed', latency_ms: 0 }],
        total_latency_ms: 0,
      };
    });
  for (const batch of [events('good', 500, '1'), events('young', 55, '1'), events('young', 40, '2', 2)]) {
    expect((await server.call('/v1/ingest', { body: { events: batch } })).status).toBe(202);
  }
});
afterAll(() => server.stop());

/** Asynchronous, because the server it asks lives in this process. */
async function renown(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env: { ...process.env, ...env } });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.stdin.end();
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}
const remote = () => ({ RENOWN_URL: server.url, RENOWN_KEY: server.sk });

describe('renown check', () => {
  it('exits with 0, 10 or 11: pass, fail, not enough evidence', async () => {
    const pass = await renown(['check', 'good', '--min', '900'], remote());
    expect([pass.status, JSON.parse(pass.stdout).verdict]).toEqual([0, 'pass']);
    const fail = await renown(['check', 'young', '--min', '990'], remote());
    expect([fail.status, JSON.parse(fail.stdout).verdict]).toEqual([10, 'fail']);
    const open = await renown(['check', 'nobody', '--min', '1'], remote());
    expect([open.status, JSON.parse(open.stdout).verdict]).toEqual([11, 'not_enough_evidence']);
  });

  it('finds the server that has the store open', async () => {
    const { status, stdout } = await renown([
      'check',
      'good',
      '--min',
      '900',
      '--store',
      `duckdb:${server.data}`,
    ]);
    expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'pass']);
  });

  it('judges a session from a file, with no ledger at all', async () => {
    const file = join(folder, 'session.json');
    writeFileSync(file, JSON.stringify({ traces: [{ trace_id: 't', signals: { confidence: 0.6 } }] }));
    const args = ['check', file, '--metric', 'agent_reliability', '--min'];
    expect((await renown([...args, '0.5'])).status).toBe(0);
    expect((await renown([...args, '0.7'])).status).toBe(10);
    writeFileSync(file, JSON.stringify({ traces: [] }));
    expect((await renown([...args, '0'])).status).toBe(11);
  });

  it('judges a session of the ledger by its id', async () => {
    const traces = [{ session_id: 'run-7', trace_id: 't', signals: { coherence: 0.6 } }];
    await server.call('/v1/signals', { body: { traces } });
    const args = ['check', 'run-7', '--metric', 'agent_reliability', '--min'];
    expect((await renown([...args, '0.5'], remote())).status).toBe(0);
    expect((await renown([...args, '0.7'], remote())).status).toBe(10);
  });

  it('says what is wrong with its command line', async () => {
    expect(await renown(['check'])).toMatchObject({ status: 2 });
    expect((await renown(['check', 'x', '--min', 'much'], remote())).stderr).toContain(
      '--min must be a number',
    );
    const { status, stderr } = await renown(['check', 'x', '--min', '1'], {
      ...remote(),
      RENOWN_KEY: 'pk_live_wrong',
    });
    expect([status, stderr]).toEqual([9, expect.stringContaining('unknown or revoked')]);
    const away = await renown(['check', 'x', '--min', '1'], {
      ...remote(),
      RENOWN_URL: 'http://127.0.0.1:1',
    });
    expect(away.status).toBe(8);
  });
});

describe('renown explain and renown compare', () => {
  it('say what moved a score, and how two versions differ', async () => {
    const explained = JSON.parse((await renown(['explain', 'young', '--since', '0'], remote())).stdout);
    expect(explained).toMatchObject({ before: 0, contributions: expect.any(Array) });
    expect(explained.contributions).toHaveLength(95);
    const compared = JSON.parse((await renown(['compare', 'young', '--by', 'version'], remote())).stdout);
    expect(compared.difference).toMatchObject({ pass_rate: -0.5 });
    expect(compared.difference.high).toBeLessThan(0);
  });
});

describe('renown receipt', () => {
  it('issues one, and verifies it offline; one changed letter fails', async () => {
    const { stdout } = await renown(['receipt', 'issue', 'good'], remote());
    const [jws, keys, forged] = ['good.jws', 'keys.json', 'forged.jws'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(jws, stdout);
    writeFileSync(keys, (await server.call('/.well-known/jwks.json', { key: null })).text);
    const verified = await renown(['receipt', 'verify', jws, '--jwks', keys]);
    expect(verified.status).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ valid: true, claims: { sub: 'good', iss: 'acme' } });
    writeFileSync(
      forged,
      stdout.replace(/\..(?=.*\.)/, (part) => (part === '.A' ? '.B' : '.A')),
    );
    expect((await renown(['receipt', 'verify', forged, '--jwks', keys])).status).toBe(10);
  });
});

describe('renown receipt verify', () => {
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const issue = async (name: string, agent: string) => {
    const body = { agent_id: agent };
    const { json } = await server.call('/v1/receipts', { key: server.sk, body });
    return { jws: file(name, json.receipt), id: json.receipt_id as string };
  };
  const read = async (path: string) => (await server.call(path, { key: null })).text;

  it('says no to a receipt that was taken back, wherever the keys of a server come from', async () => {
    const { jws, id } = await issue('revoked.jws', 'good');
    const keys = file('keys.json', await read('/.well-known/jwks.json'));
    const verify = (...more: string[]) => renown(['receipt', 'verify', jws, ...more]);
    const fromServer = () => renown(['receipt', 'verify', jws], remote());
    expect((await fromServer()).status).toBe(0);
    await server.call(`/v1/receipts/${id}/revoke`, { key: server.sk, body: { reason: 'Wrong.' } });
    const asked = await fromServer();
    expect([asked.status, JSON.parse(asked.stdout).reason]).toEqual([
      10,
      'It was taken back by whoever issued it.',
    ]);
    expect((await verify('--store', `duckdb:${server.data}`)).status).toBe(10);
    expect((await verify('--jwks', `${server.url}/.well-known/jwks.json`)).status).toBe(10);
    expect((await verify('--jwks', keys, '--url', server.url, '--key', server.pk)).status).toBe(10);
    const list = file('list.json', await read('/public/acme/revocations'));
    expect((await verify('--jwks', keys, '--revocations', list)).status).toBe(10);
    const offline = await verify('--jwks', keys);
    expect([offline.status, offline.stderr]).toEqual([0, expect.stringContaining('Nobody was asked')]);
  });

  it('takes no list of another org, and nothing that is no list', async () => {
    const { jws } = await issue('listed.jws', 'good');
    const keys = file('keys.json', await read('/.well-known/jwks.json'));
    const verify = (list: string) =>
      renown(['receipt', 'verify', jws, '--jwks', keys, '--revocations', file('list.json', list)]);
    const other = await verify(await read('/public/other/revocations'));
    expect([other.status, other.stderr]).toEqual([3, expect.stringContaining('taken back is of other')]);
    for (const odd of ['null', '[]', '{}', '{"items":[]}', '{"org":"acme","items":[null]}', '7']) {
      const { status, stderr } = await verify(odd);
      expect([status, stderr]).toEqual([5, expect.stringContaining('no such list')]);
    }
    expect((await verify('{')).status).toBe(3);
  });

  it('says whose receipt it is and about whom, and can be told which to expect', async () => {
    const { jws } = await issue('expected.jws', 'good');
    const verify = (...more: string[]) => renown(['receipt', 'verify', jws, ...more], remote());
    const { status, stdout } = await verify('--issuer', 'acme', '--agent', 'good');
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('{"valid":true,"issuer":"acme","subject":"good",'),
    ]);
    const about = await verify('--agent', 'young');
    expect([about.status, JSON.parse(about.stdout).reason]).toEqual([
      10,
      'It is about good, and not about young.',
    ]);
    expect((await verify('--issuer', 'other')).status).toBe(10);
    const keys = file('keys.json', await read('/.well-known/jwks.json'));
    const of = await verify('--issuer', 'other', '--jwks', keys);
    expect(JSON.parse(of.stdout).reason).toBe('It was issued by acme, and not by other.');
  });
});

describe('renown receipt rotate-key', () => {
  it('makes the key that signs from now on', async () => {
    const { status, stdout } = await renown(['receipt', 'rotate-key'], remote());
    const { json } = await server.call('/.well-known/jwks.json', { key: null });
    expect([status, JSON.parse(stdout)]).toEqual([0, json.keys[0]]);
    expect((await renown(['receipt'], remote())).status).toBe(2);
    expect((await renown(['receipt', 'issue'], remote())).stderr).toContain('Say what to issue');
  });
});

describe('renown alerts', () => {
  it('lists the newest first, and says how to get the older ones', async () => {
    const ids = ['a', 'b', 'c'].map((letter) => `0-${letter}`);
    for (const id of ids) {
      const body = { kind: 'test', subject: 'acme', message: 'A test.', data: {} };
      await server.context.store.documents.put('acme', { kind: 'alert', id, body, at: Date.now() });
    }
    const list = async (...more: string[]) => {
      const { status, stdout, stderr } = await renown(['alerts', 'list', ...more], remote());
      expect(status).toBe(0);
      const lines = stdout.trim().split('\n');
      return { listed: lines.map((line) => JSON.parse(line).alert_id), stderr };
    };
    const first = await list('--limit', '2');
    expect(first.listed).toEqual(['0-c', '0-b']);
    const [, cursor = ''] = /renown alerts list --cursor (\S+)`/.exec(first.stderr) ?? [];
    expect(await list('--cursor', cursor)).toEqual({ listed: ['0-a'], stderr: '' });
    expect((await renown(['alerts', 'list', '--limit', 'many'], remote())).status).toBe(3);
  });

  it('says where they go, that nothing arrives where nobody listens, and that a private address is refused', async () => {
    const added = JSON.parse((await renown(['alerts', 'add', 'http://127.0.0.1:9/x'], remote())).stdout);
    expect(added.secret).toMatch(/^wh_live_/);
    const tested = await renown(['alerts', 'test'], remote());
    expect(tested.status).toBe(10);
    expect(JSON.parse(tested.stdout)).toMatchObject({ delivered: false });
    const refused = await renown(['alerts', 'add', 'http://10.0.0.1/x'], remote());
    expect([refused.status, refused.stderr]).toEqual([3, expect.stringContaining('private address')]);
    expect((await renown(['alerts', 'webhooks'], remote())).stdout).toContain(added.webhook_id);
    expect((await renown(['alerts', 'remove', added.webhook_id], remote())).status).toBe(0);
    expect((await renown(['alerts', 'test'], remote())).stderr).toContain('no webhook yet');
  });
});

describe('without a server', () => {
  it('the same commands work over the store', () => {
    const env = { ...process.env, RENOWN_DATA: join(folder, 'own.duckdb') };
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [BIN, ...args], { cwd: folder, env, encoding: 'utf8' });
    expect(run('orgs', 'create', 'solo').status).toBe(0);
    expect(run('check', 'nobody', '--min', '700').status).toBe(11);
    expect(JSON.parse(run('explain', 'nobody').stdout)).toMatchObject({ difference: 0, contributions: [] });
    expect(run('receipt', 'issue', 'nobody').stdout.split('.')).toHaveLength(3);
    expect(run('check', 'nobody', '--min', '700', '--org', 'solo').status).toBe(11);
  });
});

describe('renown mcp', () => {
  it('serves reputation, checks and session scores to an MCP client', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const env = { ...(process.env as Record<string, string>), ...remote() };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['check', 'get_reputation', 'judge_session']);
    const call = async (name: string, args: Record<string, unknown>) => {
      const { content, isError } = (await client.callTool({ name, arguments: args })) as {
        content: { text: string }[];
        isError?: boolean;
      };
      return { isError: isError === true, json: JSON.parse(content[0]?.text ?? 'null') };
    };
    expect((await call('get_reputation', { agent_id: 'good' })).json).toMatchObject({
      score: 1000,
      assurance: { score_low: 994 },
    });
    expect((await call('check', { agent_id: 'young', min: 990 })).json.verdict).toBe('fail');
    const traces = [{ trace_id: 't', signals: { confidence: 0.25 } }];
    expect((await call('judge_session', { traces })).json).toMatchObject({
      agent_reliability: { score: 0.25, passed: false },
    });
    await server.call('/v1/signals', {
      body: { traces: [{ session_id: 'run/8', trace_id: 't', signals: { coherence: 0.6 } }] },
    });
    expect((await call('judge_session', { session_id: 'run/8' })).json).toMatchObject({
      agent_reliability: { score: 0.6 },
    });
    for (const odd of [{}, { session_id: 'run/8', traces }])
      expect(await call('judge_session', odd)).toMatchObject({
        isError: true,
        json: { code: 'invalid_request' },
      });
    const verdict = async (asked: Record<string, unknown>) => (await call('check', asked)).json.verdict;
    const reliable = { metric: 'agent_reliability', min: 0.5 };
    expect(await verdict({ session_id: 'run/8', ...reliable })).toBe('pass');
    expect(await verdict({ traces, ...reliable })).toBe('fail');
    expect(await verdict({ agent_id: 'good', max_drop: 1000, since: '2020-01-01T00:00:00Z' })).toBe(
      'not_enough_evidence',
    );
    expect(await verdict({ agent_id: 'young', min: 100, point: true })).toBe('pass');
    expect((await call('check', { agent_id: 'good' })).json.code).toBe('invalid_request');
    expect(await call('judge_session', { traces: [{ trace_id: 't', signals: { hope: 1 } }] })).toMatchObject({
      isError: true,
      json: { code: 'invalid_request' },
    });
    await client.close();
  });

  it('knows sessions by their ids over the store too', async () => {
    const env = { ...(process.env as Record<string, string>), RENOWN_DATA: join(folder, 'mcp.duckdb') };
    spawnSync(process.execPath, [BIN, 'orgs', 'create', 'solo'], { env });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env }));
    const asked = { name: 'judge_session', arguments: { session_id: 'unknown' } };
    const { content } = (await client.callTool(asked)) as { content: { text: string }[] };
    expect(JSON.parse(content[0]?.text ?? 'null')).toMatchObject({
      code: 'not_found',
      error: expect.stringContaining('Nobody has reported signals'),
    });
    await client.close();
  });
});
