/** The server as people run it: a process of its own, with signals, a crash, and the command line beside it. */
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../src/core/stats/random.ts';
import { openStore } from '../../src/store/open-store.ts';
import { renown } from '../support/renown.ts';
import { send } from '../support/server.ts';
import { keyIn, killServers, startServerProcess } from '../support/server-process.ts';

afterEach(killServers);

const newFolder = () => mkdtempSync(join(tmpdir(), 'renown-'));

const start = (data: string, args: string[] = []) => startServerProcess(['--data', data, ...args]);

describe('renown serve', () => {
  it('makes an org at its first start, shows its keys once, and says who can reach it', async () => {
    const data = join(newFolder(), 'ledger.duckdb');
    const first = await start(data);
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(first.said).toContain('from this machine alone');
    const [pk, sk] = [keyIn(first.said, 'pk'), keyIn(first.said, 'sk')];
    expect((await send(first.url, '/v1/audit', { key: sk })).status).toBe(200);
    await send(first.url, '/v1/evaluate', { key: pk, body: { agent_id: 'a', output: 'x' } });
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(first.log()).toContain('"route":"POST /v1/evaluate","status":200');
    expect(first.log()).not.toContain(pk);
    const second = await start(data);
    expect(second.said).not.toContain('_live_');
    expect((await send(second.url, '/v1/reputation/a', { key: pk })).json.evaluations).toBe(1);
  });

  it('finishes what is under way when it is told to stop, and takes nothing new', async () => {
    const data = join(newFolder(), 'ledger.duckdb');
    const { url, said, child, ended } = await start(data);
    const key = keyIn(said, 'pk');
    const under = Array.from({ length: 200 }, (_, i) =>
      send(url, '/v1/evaluate', { key, body: { agent_id: 'a', output: 'x', evaluation_id: `e${i}` } }).catch(
        () => null,
      ),
    );
    await Promise.race(under);
    child.kill('SIGTERM');
    const answers = await Promise.all(under);
    expect(await ended).toBe(0);
    await expect(send(url, '/health', {})).rejects.toThrow();
    const acknowledged = answers.flatMap((answer) =>
      answer?.status === 200 ? [answer.json.evaluation_id] : [],
    );
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(existsSync(`${data}.server.json`)).toBe(false);
    const store = await openStore(`duckdb:${data}`);
    for (const id of acknowledged) expect(await store.evaluations.get('default', id)).not.toBeNull();
    await store.close();
  });

  it('loses nothing it acknowledged when it is killed under load, ten times', async () => {
    const data = join(newFolder(), 'ledger.duckdb');
    const random = createRandom(7);
    const acknowledged: string[] = [];
    let key = '';
    for (let round = 0; round < 10; round++) {
      const { url, said, child, ended } = await start(data);
      key ||= keyIn(said, 'pk');
      const load = Array.from({ length: 16 }, (_, lane) =>
        keepWriting(url, key, `${round}-${lane}`, acknowledged),
      );
      await new Promise((resolve) => setTimeout(resolve, 100 + random() * 300));
      child.kill('SIGKILL');
      expect(await ended).toBe('SIGKILL');
      await Promise.all(load);
    }
    expect(acknowledged.length).toBeGreaterThan(20);
    const { url } = await start(data);
    const lost: string[] = [];
    for (let i = 0; i < acknowledged.length; i += 1_000) {
      // Sent again, each must be known: that finds it by its id, as quickly as a batch.
      const events = acknowledged.slice(i, i + 1_000).map(event);
      const { json } = await send(url, '/v1/ingest', { key, body: { events } });
      const known = new Set<string>(json.duplicates);
      lost.push(...acknowledged.slice(i, i + 1_000).filter((id) => !known.has(id)));
    }
    expect(lost).toEqual([]);
  }, 180_000);

  it('fills an empty store with a month to look at, the same for everyone', async () => {
    const { url, said } = await start(join(newFolder(), 'ledger.duckdb'), ['--demo']);
    expect(said).toContain('a month of five agents');
    const { json } = await send(url, '/v1/agents', { key: keyIn(said, 'pk') });
    const score = Object.fromEntries(
      json.items.map((one: { agent_id: string; reputation: { score: number } }) => [
        one.agent_id,
        one.reputation.score,
      ]),
    );
    expect(score['code-reviewer']).toBeGreaterThan(850);
    expect(score['shell-runner']).toBeLessThan(700);
    expect(json.items).toHaveLength(5);
  });

  it('prints its configuration from flags, environment and file, with secrets masked', () => {
    const file = join(newFolder(), 'renown.yaml');
    writeFileSync(file, 'port: 1\nhost: 0.0.0.0\nrate_limit_burst: 7\nmaster_key: a-secret-of-some-length\n');
    const { exit, stdout } = renown(['serve', '--print-config', '--config', file, '--port', '3'], {
      env: { RENOWN_PORT: '2', RENOWN_RATE_LIMIT_BURST: '8' },
    });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      port: 3,
      rate_limit_burst: 8,
      host: '0.0.0.0',
      master_key: '********',
    });
    expect(stdout).not.toContain('a-secret');
  });

  it.each([
    ['a setting that is none', 'prot: 1\n', 'prot is no setting of the configuration file'],
    ['a port out of range', 'port: 70000\n', 'port in the configuration file must be a whole number'],
    ['a proxy that is no address', 'trusted_proxies: [somewhere]\n', '"somewhere" is no address'],
    ['what is no YAML', 'port: [\n', 'is not YAML'],
  ])('refuses %s', (_, text, message) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'renown.yaml'), text);
    const args = ['serve', '--config', join(folder, 'renown.yaml'), '--data', join(folder, 'ledger.duckdb')];
    const { exit, stderr } = renown(args);
    expect(exit).toBe(3);
    expect(stderr).toContain(message);
  });
});

describe('the command line', () => {
  it('goes through the server while one runs, and to the store itself otherwise', async () => {
    const folder = newFolder();
    const data = join(folder, 'ledger.duckdb');
    const env = { RENOWN_DATA: data };
    const run = (...args: string[]) => {
      const { exit, stdout, stderr } = renown(args, { env });
      expect(stderr).toBe('');
      expect(exit).toBe(0);
      return stdout.trim() === ''
        ? []
        : stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
    };
    const exercise = (org: string) => {
      const [made] = run('orgs', 'create', org, '--name', 'An org');
      expect(made).toMatchObject({
        org_id: org,
        name: 'An org',
        keys: { pk: { kind: 'pk' }, sk: { kind: 'sk' } },
      });
      expect(run('orgs', 'list').map(({ org_id }) => org_id)).toContain(org);
      const [key] = run('keys', 'create', '--org', org, '--kind', 'sk');
      expect(key.key).toMatch(/^sk_live_[0-9a-f]{40}$/);
      expect(run('keys', 'list', '--org', org)).toHaveLength(3);
      expect(run('keys', 'revoke', key.key_id, '--org', org)[0].revoked_at).not.toBeNull();
      const file = join(folder, `${org}.jsonl`);
      expect(run('export', file)[0].rows).toBeGreaterThan(3);
      expect(run('import', file)[0].restored).toBe(0);
      const backup = join(folder, `${org}.duckdb`);
      run('backup', backup);
      expect(statSync(backup).size).toBeGreaterThan(0);
      run('export', join(folder, `${org}-parquet`), '--parquet');
      return made.keys.pk.key as string;
    };
    const offline = exercise('offline');
    const { url, child, ended } = await start(data);
    const online = exercise('online');
    for (const key of [offline, online]) expect((await send(url, '/v1/agents', { key })).status).toBe(200);
    const lines = readFileSync(join(folder, 'online.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).kind)).toContain('org');
    child.kill('SIGKILL');
    await ended;
    // What a killed server left behind leads nobody astray.
    expect(existsSync(`${data}.server.json`)).toBe(true);
    expect(run('orgs', 'list')).toHaveLength(2);
  }, 120_000);

  it.each([
    [['orgs'], 2, 'Say create or list'],
    [['orgs', 'create'], 2, 'Say which org to create'],
    [['orgs', 'create', 'Not Plain'], 3, 'org_id must be lower-case letters'],
    [['keys', 'nonsense'], 2, 'Say create, list or revoke'],
    [['keys', 'create'], 3, 'There is no ledger at'],
    [['keys', 'create', '--org', 'nowhere'], 3, 'There is no ledger at'],
    [['keys', 'revoke', 'x', '--org', 'nowhere'], 3, 'There is no ledger at'],
  ])('refuses %j', (args, code, message) => {
    const { exit, stderr } = renown(args, { env: { RENOWN_DATA: join(newFolder(), 'ledger.duckdb') } });
    expect(stderr).toContain(message);
    expect(exit).toBe(code);
  });

  it('has a doctor that says what to do', async () => {
    const data = join(newFolder(), 'ledger.duckdb');
    const env = { RENOWN_DATA: data, RENOWN_PORT: '0' };
    const none = renown(['doctor'], { env });
    expect(none.stdout).toContain('There is none yet. `renown serve` makes it.');
    expect(existsSync(data)).toBe(false);
    const { child, ended } = await start(data);
    const well = renown(['doctor'], { env });
    expect(well.stdout).toContain('ok  port    The server of this store is running');
    expect(well.stdout).toContain('default has 2 good ones');
    expect(well.exit).toBe(0);
    child.kill('SIGTERM');
    await ended;
    const [key] = renown(['keys', 'list'], { env })
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    renown(['keys', 'revoke', key.key_id], { env });
    const ill = renown(['doctor', '--json'], { env });
    expect(ill.exit).toBe(10);
    const findings = ill.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([{ check: 'keys' }]);
    expect(ill.stdout).toContain(`renown keys create --org default --kind ${key.kind}`);
  });
});

function event(evaluation_id: string) {
  return {
    evaluation_id,
    agent_id: 'loaded',
    passed: true,
    gates: [{ name: 'content', outcome: 'passed', latency_ms: 0 }],
    total_latency_ms: 0,
  };
}

/** Sends batches and single evaluations until the server is gone, noting what was acknowledged. */
async function keepWriting(url: string, key: string, lane: string, acknowledged: string[]): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      const ids = Array.from({ length: 1 + (i % 20) }, (_, j) => `${lane}-${i}-${j}`);
      const single = { agent_id: 'loaded', output: 'x', evaluation_id: ids[0] };
      const { status } =
        i % 2 === 0
          ? await send(url, '/v1/ingest', { key, body: { events: ids.map(event) } })
          : await send(url, '/v1/evaluate', { key, body: single });
      if (status === 202) acknowledged.push(...ids);
      else if (status === 200) acknowledged.push(ids[0] ?? '');
    } catch {
      return;
    }
  }
}
