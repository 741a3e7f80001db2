/** Slips that newcomers make with the command line: each is told by its own name, and leaves nothing behind. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toOpenError } from '../src/store/duckdb/errors.ts';
import { BIN, renown } from './support/renown.ts';
import { startServer, type TestServer } from './support/server.ts';

const newFolder = () => mkdtempSync(join(tmpdir(), 'renown-mistakes-'));

/** The environment of these tests names no ledger and no server but what a test says. */
function runIn(cwd: string, args: string[], env: Record<string, string> = {}) {
  const { RENOWN_DATA: _d, RENOWN_URL: _u, RENOWN_KEY: _k, ...rest } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    env: { ...rest, ...env },
    input: '',
    encoding: 'utf8',
  });
  return { exit: status, stdout, stderr };
}

describe('where there is no ledger', () => {
  const RECEIPT = 'receipt.jws';
  const CHAT = 'chat.jsonl';
  it.each([
    [['card', 'foo']],
    [['check', 'foo', '--min', '1']],
    [['gates', 'show']],
    [['explain', 'foo']],
    [['compare', 'foo']],
    [['receipt', 'issue', 'foo']],
    [['receipt', 'verify', RECEIPT]],
    [['alerts', 'list']],
    [['mcp']],
    [['keys', 'list']],
    [['keys', 'create', '--org', 'acme']],
    [['orgs', 'list']],
    [['export']],
    [['backup', 'copy.duckdb']],
    [['run', 'list']],
    [['run', 'start', '--all']],
    [['monitor', 'create', '--name', 'n', '--cadence', 'daily']],
    [['session', 'show', 's']],
    [['signals', 'extract', CHAT, '--save']],
    [['import', CHAT, '--reputation-events', '--org', 'acme']],
  ])('renown %j says so, and makes none', (args) => {
    const folder = newFolder();
    writeFileSync(join(folder, RECEIPT), 'a.b.c');
    writeFileSync(join(folder, CHAT), '{"role":"user","content":"Hello"}\n');
    const { exit, stdout, stderr } = runIn(folder, args);
    expect(stderr).toMatch(
      /^renown: There is no ledger at \/\S+\/renown\.duckdb\. Name one with --store or RENOWN_DATA/,
    );
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' });
    expect(readdirSync(folder).sort()).toEqual([CHAT, RECEIPT]);
  });

  it('names a server only to commands that ask one', () => {
    const folder = newFolder();
    expect(runIn(folder, ['card', 'foo']).stderr).toContain(
      'RENOWN_DATA, a server with RENOWN_URL, or start one: renown serve.',
    );
    expect(runIn(folder, ['keys', 'list']).stderr).toContain('RENOWN_DATA, or start one: renown serve.');
  });

  it('orgs create and import make one, and not for what they refuse', () => {
    const folder = newFolder();
    expect(runIn(folder, ['orgs', 'create', 'Not Plain']).exit).toBe(3);
    expect(runIn(folder, ['import', 'nofile.jsonl'])).toMatchObject({
      exit: 5,
      stderr: 'renown: nofile.jsonl could not be read (ENOENT). Check its path and rights.\n',
    });
    expect(readdirSync(folder)).toEqual([]);
    expect(runIn(folder, ['orgs', 'create', 'acme']).exit).toBe(0);
    expect(runIn(folder, ['export', 'ledger.jsonl']).exit).toBe(0);
    expect(runIn(folder, ['import', 'ledger.jsonl', '--store', 'duckdb:copy.duckdb']).exit).toBe(0);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['renown.duckdb', 'copy.duckdb']));
  });
});

describe('an address without its scheme', () => {
  it.each([
    [['check', 'x', '--min', '1', '--url', 'localhost:4747'], {}, '--url'],
    [['card', 'x'], { RENOWN_URL: 'localhost:4747' }, 'RENOWN_URL'],
    [['proxy', '--', 'cat'], { RENOWN_URL: 'localhost:4747' }, 'RENOWN_URL'],
    [['check', 'x', '--min', '1', '--url', 'http://'], {}, '--url'],
  ])('%j is refused', (args, env, from) => {
    const { exit, stderr } = runIn(newFolder(), args, { RENOWN_KEY: 'pk_live_x', ...env });
    expect(exit).toBe(2);
    expect(stderr).toContain(`${from} must be an http or https URL, as http://127.0.0.1:4747, and "`);
  });
});

describe('an org that does not exist', () => {
  const folder = newFolder();
  const env = { RENOWN_DATA: join(folder, 'ledger.duckdb') };
  let server: TestServer;
  beforeAll(async () => {
    renown(['orgs', 'create', 'acme'], { env });
    renown(['orgs', 'create', 'default'], { env });
    writeFileSync(join(folder, 'chat.jsonl'), '{"role":"user","content":"Hello"}\n');
    server = await startServer();
  });
  afterAll(() => server.stop());

  it.each([
    [['check', 'c', '--min', '1']],
    [['signals', 'extract', 'chat.jsonl', '--save']],
    [['monitor', 'create', '--name', 'n', '--cadence', 'daily']],
    [['keys', 'list']],
    [['import', 'chat.jsonl', '--reputation-events']],
  ])('renown %j is refused', (args) => {
    expect(runIn(folder, [...args, '--org', 'ghost'], env)).toEqual({
      exit: 3,
      stdout: '',
      stderr: 'renown: There is no org "ghost"; there are acme, default.\n',
    });
  });

  it('is refused by a running server too, for the command and for whoever has its token', async () => {
    // Asynchronous, because the server it asks lives in this process.
    const child = spawn(process.execPath, [BIN, 'keys', 'list', '--org', 'ghost'], {
      env: { ...process.env, RENOWN_DATA: server.data },
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(3);
    expect(said).toMatch(/There is no org "ghost"; there (is|are) acme/);

    const { token } = JSON.parse(readFileSync(`${server.data}.server.json`, 'utf8'));
    const ask = (headers: Record<string, string>, path = '/v1/agents') =>
      server.call(path, { key: token, headers });
    expect((await ask({ 'x-renown-org': 'acme' })).status).toBe(200);
    expect((await ask({ 'x-renown-org': 'ghost' })).json).toMatchObject({
      code: 'not_found',
      error: expect.stringMatching(/^There is no org "ghost"; there (is|are) acme/),
    });
    expect((await ask({})).status).toBe(404);
    expect((await ask({}, '/local/orgs')).status).toBe(200);
  });
});

describe('renown proxy with half of what reporting takes', () => {
  it.each([
    ['RENOWN_KEY', 'pk_live_x', 'neither --url nor RENOWN_URL is'],
    ['RENOWN_URL', 'http://127.0.0.1:9', 'neither --key nor RENOWN_KEY is'],
  ])('goes on without when it is %s in the environment, and says so once', (name, value, missing) => {
    const env = { HOME: newFolder(), [name]: value };
    const { exit, stderr } = runIn(newFolder(), ['proxy', '--', 'cat'], env);
    expect(exit).toBe(0);
    expect(stderr).toBe(`renown: Verdicts are not reported: ${name} is set, and ${missing}.\n`);
  });

  it.each([
    [['--key', 'pk_live_x'], '--key is not enough to report verdicts; add --url or RENOWN_URL.'],
    [['--url', 'http://127.0.0.1:9'], '--url is not enough to report verdicts; add --key or RENOWN_KEY.'],
  ])('refuses %j, and says what is missing', (options, message) => {
    const { exit, stderr } = runIn(newFolder(), ['proxy', ...options, '--', 'cat'], { HOME: newFolder() });
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(message) });
  });
});

describe('a ledger that cannot be opened', () => {
  const said = (words: string) => (toOpenError(new Error(words), '/data/l.duckdb') as Error).message;

  it('is told without the words of DuckDB, and with what to do', () => {
    expect(said('IO Error: Cannot open file "/data/l.duckdb": Permission denied')).toBe(
      '/data/l.duckdb may not be read and written by this user. Give it the rights to the file and its folder (`ls -l /data/l.duckdb` shows them), or name another ledger with --store or RENOWN_DATA.',
    );
    expect(said('IO Error: Something else\nand more')).toBe(
      '/data/l.duckdb could not be opened: Something else',
    );
  });

  it('for want of a folder, or because it is one, says so', () => {
    const folder = newFolder();
    const create = (data: string) => runIn(folder, ['orgs', 'create', 'acme'], { RENOWN_DATA: data });
    expect(create('no/ledger.duckdb')).toMatchObject({
      exit: 8,
      stderr: expect.stringContaining('The folder of no/ledger.duckdb does not exist. Make it, or'),
    });
    mkdirSync(join(folder, 'data'));
    expect(create('data').stderr).toContain('data is a folder, and a ledger is a file.');
  });

  it.skipIf(process.getuid?.() === 0)('for want of rights is no missing one (root has them all)', () => {
    const folder = newFolder();
    runIn(folder, ['orgs', 'create', 'acme']);
    chmodSync(join(folder, 'renown.duckdb'), 0);
    expect(runIn(folder, ['keys', 'list']).stderr).toContain('may not be read and written by this user');
  });
});

it('renown doctor names a way to another port that there is', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  const { stdout } = runIn(newFolder(), ['doctor'], { RENOWN_PORT: String(port) });
  taken.close();
  expect(stdout).toContain('(EADDRINUSE). Choose another with RENOWN_PORT, or with renown serve --port.');
});

describe('a mistake is told by the names of the command line', () => {
  const folder = newFolder();
  const env = { RENOWN_DATA: join(folder, 'ledger.duckdb') };
  const monitor = ['monitor', 'create', '--name', 'n', '--cadence', 'daily'];
  beforeAll(() => {
    renown(['orgs', 'create', 'acme'], { env });
    writeFileSync(join(folder, 'README.md'), '# Not JSON\n');
    writeFileSync(join(folder, 'empty.json'), '\n');
    writeFileSync(join(folder, 'odd.jsonl'), '{"evaluations":[]}\n{"evalu\n');
    writeFileSync(join(folder, 'traces.json'), '{"traces":[]}');
  });

  it.each([
    [
      ['check', 'nofile.json', '--metric', 'agent_reliability', '--min', '0.7'],
      5,
      'nofile.json could not be read (ENOENT)',
    ],
    [
      ['check', './nofile', '--metric', 'agent_reliability', '--min', '0.7'],
      5,
      './nofile could not be read (ENOENT)',
    ],
    [['check', 'traces.json', '--metric', 'agent_reliability'], 2, 'Give a minimum with --min.'],
    [
      ['check', 'traces.json', '--metric', 'agent_reliability', '--min', '7'],
      3,
      '--min must be a number from 0 to 1, not 7.',
    ],
    [['check', 'code-reviewer'], 2, 'Give a minimum with --min, or a largest fall with --max-drop.'],
    [['check', 'code-reviewer', '--min', '2000'], 3, '--min must be a number from 0 to 1000, not 2000.'],
    [['check', 'code-reviewer', '--max-drop', '-x'], 2, '--max-drop'],
    [['check', 'code-reviewer', '--min', '1', '--since', 'May 1'], 2, '--since must be a time, as 2026-'],
    [['explain', 'code-reviewer', '--since', 'yesterday'], 2, '--since must be a time, as 2026-'],
    [['compare', 'x', '--by', 'colour'], 2, '--by must be one of version, model, suite.'],
    [['run', 'start'], 2, 'Say which sessions: --sessions for some, --all for all, or'],
    [['run', 'start', '--from', 'yesterday'], 2, '--from must be a time, as 2026-11-15T08:30:00Z.'],
    [['run', 'start', '--from', '2026-11-15', '--to', '2026-11-14'], 2, '--from must be before --to.'],
    [['run', 'start', '--sessions', 'a', '--agent', 'b'], 2, 'Give --sessions, or what they have in common'],
    [['run', 'start', '--sessions', 'a', '--all'], 2, 'Give --sessions, or what they have in common'],
    [
      ['run', 'start', '--all', '--thresholds', 'agent_reliability=7'],
      3,
      '--thresholds agent_reliability must be',
    ],
    [['run', 'start', '--within-hours', '0'], 3, '--within-hours must be above 0.'],
    [['run', 'start', '--all', '--sample', '2'], 3, '--sample must be above 0, and at most 1.'],
    [['monitor', 'create'], 2, 'A new monitor needs --name and --cadence, as'],
    [['monitor', 'create', '--name', 'n'], 2, 'A new monitor needs --cadence, as'],
    [[...monitor, '--weights', 'hope=1'], 3, '--weights hope'],
    [['monitor', 'create', '--name', 'n', '--cadence', 'hourly'], 3, '--cadence must be every_6h'],
    [['score', 'reputation', 'README.md'], 3, 'README.md is not JSON.'],
    [['score', 'reputation', 'empty.json'], 3, 'empty.json is empty; a JSON document was expected.'],
    [['score', 'reputation', 'odd.jsonl'], 3, 'Line 2 of odd.jsonl is not JSON.'],
  ])('renown %j', (args, exit, message) => {
    const ran = runIn(folder, args, env);
    expect(ran.stderr).toContain(message);
    expect(ran).toMatchObject({ exit, stdout: '' });
  });

  it('and what is right goes through: dates, milliseconds, and sessions with slashes in their ids', () => {
    const start = ['run', 'start', '--dry-run', '--from', '2026-11-15', '--to', '1900000000000'];
    expect(JSON.parse(runIn(folder, start, env).stdout)).toMatchObject({ dry_run: true, sessions: 0 });
    const check = ['check', 'run/8', '--metric', 'agent_reliability', '--min', '0.7'];
    expect(runIn(folder, check, env).exit).toBe(11);
  });
});
