import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openGateFile, openGateText } from '../src/sdk/node.ts';
import { describeWith } from './support/describe-with.ts';
import { BIN, renown } from './support/renown.ts';

describe('renown gates', () => {
  it('sets, shows and takes back the suite of an org', () => {
    const store = ['--store', `duckdb:${join(mkdtempSync(join(tmpdir(), 'renown-')), 'ledger.duckdb')}`];
    expect(renown(['orgs', 'create', 'acme', ...store]).exit).toBe(0);
    const gates = file('gates:\n  - content\n  - latency: { max_ms: 900 }\n');
    const set = renown(['gates', 'set', gates, ...store]);
    expect(set.stderr).toBe('');
    expect(JSON.parse(set.stdout)).toMatchObject({
      suite: { gates: ['content', { latency: { max_ms: 900 } }] },
      is_default: false,
    });
    expect(renown(['gates', 'show', ...store]).stdout).toBe(set.stdout);
    expect(JSON.parse(renown(['gates', 'reset', ...store]).stdout)).toMatchObject({ is_default: true });
    const wrong = renown(['gates', 'set', file('gates:\n  - nonsense\n'), ...store]);
    expect(wrong.stderr).toContain(':2 gates[0] must be one of');
  });
});

describe('renown gate', () => {
  it('exits 0 for what passes, with the verdict as JSON', () => {
    const { exit, stdout } = renown(['gate'], { input: 'Hello.' });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      passed: true,
      agent_id: 'cli',
      suite_hash: expect.any(String),
    });
  });

  it('passes a clean text as large as gates look at, however cold they are', () => {
    const { exit } = renown(['gate'], {
      input: 'The quick brown fox jumps over 13 lazy dogs.\n'.repeat(23_000),
    });
    expect(exit).toBe(0);
  });

  it('exits 10 for what is blocked, and quotes nothing of it', () => {
    const { exit, stdout, stderr } = renown(['gate'], { input: 'rm -rf /home/ann' });
    expect(exit).toBe(10);
    expect(JSON.parse(stdout).gates[0]).toMatchObject({ name: 'filesystem', outcome: 'failed' });
    expect(stdout + stderr).not.toContain('ann');
    expect(stdout).not.toContain('details');
  });

  it('judges a file by a gate file, and looks into JSON when told so', () => {
    const gates = file('gates:\n  - schema: { schema: { type: object, required: [answer] } }\n');
    expect(renown(['gate', file('{"answer":1}'), '--parse', '--gates', gates]).exit).toBe(0);
    expect(renown(['gate', file('{"reply":1}'), '--parse', '--gates', gates]).exit).toBe(10);
    expect(renown(['gate', file('{"answer":1}'), '--gates', gates]).exit).toBe(10);
  });

  it('says the line of a gate file that is wrong', () => {
    const gates = file('gates:\n  - filesystem\n  - pii:\n      phone: maybe\n');
    const { exit, stderr } = renown(['gate', '--gates', gates], { input: 'x' });
    expect(exit).toBe(3);
    expect(stderr).toContain(`${gates}:4 gates[1].pii.phone must be true or false.`);
  });

  it('says which gate file is missing', () => {
    const { exit, stderr } = renown(['gate', '--gates', '/nowhere/renown.gates.yaml'], { input: 'x' });
    expect(exit).toBe(5);
    expect(stderr).toContain('/nowhere/renown.gates.yaml could not be read (ENOENT)');
  });
});

const SCRIPT = {
  name: 'script',
  probe: ['script', '--version'],
  install: 'apt-get install bsdutils',
} as const;
describeWith(SCRIPT, 'renown gate on a terminal', () => {
  it('prints a report for people', () => {
    const output = file('Mail ann@acme.com');
    const { stdout, status } = spawnSync(
      'script',
      ['-qec', `${process.execPath} ${BIN} gate ${output}`, '/dev/null'],
      {
        encoding: 'utf8',
        env: { ...process.env, NO_COLOR: '1', TERM: 'xterm' },
      },
    );
    expect(status).toBe(10);
    expect(stdout).toMatch(
      /^Blocked in [\d.]+ ms\r?\n {2}✓ filesystem {2}passed\r?\n {2}✗ pii {9}An e-mail address\./,
    );
  });
});

describe('a gate file', () => {
  it('opens as the suite it says, and the engine that runs it', async () => {
    const { suite, engine } = await openGateFile(
      file('fail_fast: false\ngates: [pii, { content: { refusals: true } }]\n'),
    );
    expect(suite).toEqual({ fail_fast: false, gates: ['pii', { content: { refusals: true } }] });
    expect(engine.gateNames).toEqual(['pii', 'content']);
  });

  it.each([
    ['gates: [pii\n', 'g.yaml:2 is not YAML'],
    ['gates:\n  - pii\n  - pii\n', 'g.yaml:3 gates[1] must have a name of its own'],
    ['gates:\n  - nothing\n', 'g.yaml:2 gates[0] must be one of'],
    [
      'gates:\n  - pattern:\n      deny:\n        - ok\n        - (?=a)\n',
      'g.yaml:5 gates[0].pattern.deny[1]',
    ],
    ['gates:\n  - latency: {}\n', 'g.yaml:2 gates[0].latency.max_ms is missing'],
    ['timeout_ms: 5\n\ntimeout: 6\ngates: [pii]\n', 'g.yaml:3 timeout is no field of a suite'],
    ['', 'g.yaml:1'],
    ['gates: [pii]\ngates: [pii]\n', 'g.yaml:2 is not YAML'],
    ['a: &a [x]\nb: [*a, *a]\ngates: [pii]\n', 'g.yaml:1 a is no field of a suite'],
    ['gates:\n  - pii:\n      allowed:\n        - a@b.c\n', 'g.yaml:3 gates[0].pii.allowed is no option'],
    ['timeout_ms: 1\na.b:\n  c: 1\ngates: [pii]\n', 'g.yaml:2 ["a.b"] is no field of a suite'],
    [
      'gates:\n  - schema:\n      schema:\n        properties:\n          a.b:\n            type: strin\n',
      'g.yaml:6 gates[0].schema.schema.properties["a.b"].type must name',
    ],
    [
      'gates:\n  - schema:\n      schema:\n        patternProperties:\n          "^x-[a-z]+$":\n            type: strin\n',
      'g.yaml:6 gates[0].schema.schema.patternProperties["^x-[a-z]+$"].type must name',
    ],
    [
      'gates:\n  - schema:\n      schema:\n        $ref: "#/$defs/x"\n        $defs:\n          x:\n            type: foo\n',
      'g.yaml:7 gates[0].schema.schema.$defs.x.type must name',
    ],
    ['a: 1\ngates: *b\n', 'g.yaml:2 is an alias without its anchor'],
    [
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\ngates: [pii]\n',
      'g.yaml:4 has more aliases than a gate file may have',
    ],
    ['x: &o { fax: true }\ngates:\n  - pii: *o\n', 'g.yaml:1 x is no field of a suite (and 1 more)'],
  ])('%j is refused with its line', async (text, message) => {
    await expect(openGateText(text, 'g.yaml')).rejects.toThrow(message);
  });
});

function file(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'renown-gate-')), 'file');
  writeFileSync(path, text);
  return path;
}
