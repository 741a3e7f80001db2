/** `renown judge` as a process: what it finds and what it prints. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { claudeSession, START, toolResult } from './support/claude-session.ts';
import { judgeText } from './support/judge-session.ts';
import { lines, logBatch } from './support/otlp.ts';
import { BIN, renown } from './support/renown.ts';

const FIXTURES = fileURLToPath(new URL('./fixtures/telemetry', import.meta.url));
const claude = join(FIXTURES, 'claude-code.jsonl');
const ENV = { RENOWN_CACHE: mkdtempSync(join(tmpdir(), 'renown-cache-')) };
const newFolder = () => mkdtempSync(join(tmpdir(), 'renown-judge-'));
const judge = (args: string[], options: Parameters<typeof renown>[1] = {}) =>
  renown(['judge', ...args], { ...options, env: { ...ENV, ...options.env } });

describe('renown judge', () => {
  it('prints YAML in the order of the specification when piped, and JSON with the same fields', () => {
    const yaml = judge([claude]);
    expect(yaml).toMatchObject({ exit: 0, stderr: '' });
    const verdict = parse(yaml.stdout);
    expect(Object.keys(verdict).slice(0, 10)).toEqual([
      'masque',
      'duration_min',
      'dimensions',
      'composite',
      'recommendation',
      'stats',
      'missing_inputs',
      'signals',
      'tool_mix',
      'baseline',
    ]);
    expect(Object.keys(verdict.dimensions)).toEqual([
      'quality',
      'autonomy',
      'productivity',
      'token_efficiency',
      'cost_efficiency',
    ]);
    expect(Object.keys(verdict.stats)).toEqual([
      'total_cost',
      'total_tools',
      'tools_ok',
      'tool_success_pct',
      'prompts',
      'total_tokens',
      'cache_tokens',
    ]);
    expect(yaml.stdout).toMatch(/^duration_min: 0$/m);
    expect(JSON.parse(judge([claude, '--format', 'json']).stdout)).toEqual(verdict);
    expect(JSON.parse(judge([claude, '--json']).stdout)).toEqual(verdict);
  });

  it('draws a card, and marks what the telemetry lacks', () => {
    const { stdout } = judge([join(FIXTURES, 'qwen-code.jsonl'), '--format', 'table']);
    expect(stdout).toMatch(/cost_efficiency +█{20} 10\.0 \*/);
    expect(stdout).toContain('* missing total_cost: not in the telemetry');
    expect(stdout).toMatch(/quality +█+░+ +6\.7\n/);
  });

  it('judges the latest session, one by its id, or all of them', () => {
    const file = join(newFolder(), 'logs.jsonl');
    writeFileSync(
      file,
      lines([
        claudeSession('b', [toolResult(50)]),
        claudeSession('a', [toolResult(1), toolResult(99)]),
        claudeSession('c', [toolResult(60)]),
      ]),
    );
    const idsOf = (text: string) =>
      parseAllDocuments(text).map((document) => document.toJS().session.session_id);
    expect(idsOf(judge([file]).stdout)).toEqual(['a']);
    expect(idsOf(judge([file, '--last']).stdout)).toEqual(['a']);
    expect(idsOf(judge([file, '--session', 'b']).stdout)).toEqual(['b']);
    expect(idsOf(judge([file, '--all']).stdout)).toEqual(['a', 'b', 'c']);
    expect(JSON.parse(judge([file, '--all', '--json']).stdout)).toHaveLength(3);
    expect(judge([file, '--session', 'x'])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('There is no session "x"'),
    });
    expect(
      renown(['sessions', file], { env: ENV })
        .stdout.trim()
        .split('\n')
        .map((line) => JSON.parse(line).session_id),
    ).toEqual(['a', 'b', 'c']);
  });

  it('finds the newest session by itself, and says where it looked', () => {
    const home = newFolder();
    const nothing = judge([], { env: { HOME: home, CLAUDE_CONFIG_DIR: undefined } });
    expect(nothing).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining(
        `There is no telemetry in services/collector/data/logs.jsonl or ${home}/.claude/projects`,
      ),
    });
    mkdirSync(join(home, '.claude/projects/p'), { recursive: true });
    writeFileSync(
      join(home, '.claude/projects/p/s.jsonl'),
      `${JSON.stringify({ type: 'user', sessionId: 'mine', timestamp: '2026-11-01T09:00:00Z', uuid: 'u', message: { content: 'Hello' } })}\n`,
    );
    const found = judge([], { env: { HOME: home, CLAUDE_CONFIG_DIR: undefined } });
    expect(found.stderr).toBe(
      `Reading ${home}/.claude/projects; nothing in services/collector/data/logs.jsonl.\n`,
    );
    expect(parse(found.stdout)).toMatchObject({ session: { session_id: 'mine' }, stats: { prompts: 1 } });
  });

  it('reads standard input, and says what it could not use', () => {
    const nameless = logBatch([
      { name: 'claude_code.user_prompt', at: START },
      { name: 'hello', at: START },
      { name: 'claude_code.api_request', at: START, attributes: { 'session.id': 'b', cost_usd: '-5' } },
    ]);
    const { stdout, stderr } = judge(['-'], {
      input: `${lines([claudeSession('a', [toolResult(1)]), nameless])}rubbish\n`,
    });
    expect(parse(stdout).stats.total_tools).toBe(1);
    expect(stderr).toBe(
      `${[
        '1 of 4 records name no session, and are not counted.',
        '1 of 4 records are of no agent that is known, and are not counted.',
        '1 of 4 records have an id that is too long or a number that is out of range, and are not counted.',
        '1 lines are not JSON, and were passed over.',
      ].join('\n')}\n`,
    );
  });

  it('says what a file is that it cannot read', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'a.jsonl'), lines([claudeSession('a', [toolResult(1)])]));
    writeFileSync(join(folder, 'b.jsonl'), Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2, 3]));
    const { stdout, stderr } = judge([folder]);
    expect(parse(stdout).stats.total_tools).toBe(1);
    expect(stderr).toBe('1 files are compressed with zstd, and were not read: unpack them.\n');
    writeFileSync(join(folder, 'x.bin'), Buffer.from([0, 1, 2, 3, 255]));
    expect(judge([join(folder, 'x.bin')]).stderr).toContain('1 lines are not JSON');
  });

  it('reads a file that is large enough for two threads, and gives the same numbers', () => {
    const file = join(newFolder(), 'logs.jsonl');
    const padding = 'x'.repeat(40_000);
    const batches = Array.from({ length: 900 }, (_, i) =>
      claudeSession(`s${i % 7}`, [toolResult(i, { tool_input: padding, success: String(i % 5 > 0) })]),
    );
    // Replayed in the other half, broken in both, and cut off at the end.
    const text = `${lines([...batches, ...batches.slice(0, 50)])}rubbish\n`;
    writeFileSync(file, `rubbish\n${text}{"resourceLogs":[`);
    const { stdout, stderr } = judge([file, '--all', '--json', '--no-cache']);
    expect(JSON.parse(stdout)).toEqual(judgeText(text));
    expect(stderr).toBe('2 lines are not JSON, and were passed over.\n');
  });

  it('reads all of a large file that is moved away while both threads read it', async () => {
    const file = join(newFolder(), 'logs.jsonl');
    const padding = 'x'.repeat(40_000);
    const batches = Array.from({ length: 900 }, (_, i) =>
      claudeSession('s', [toolResult(i, { tool_input: padding })]),
    );
    writeFileSync(file, lines(batches));
    const child = spawn(process.execPath, [BIN, 'judge', file, '--json', '--no-cache']);
    const printed = Promise.all([text(child.stdout), text(child.stderr)]);
    while (!hasOpen(child.pid, file)) await sleep(1);
    renameSync(file, `${file}.1`);
    writeFileSync(file, '');
    const [stdout, stderr] = await printed;
    expect([JSON.parse(stdout).stats.total_tools, stderr]).toEqual([900, '']);
  });

  it('ends with standard input, also with --follow', () => {
    const input = lines([claudeSession('a', [toolResult(1)])]);
    const { stdout, exit } = judge(['-', '--follow', '--format', 'json'], { input });
    expect({ exit, tools: JSON.parse(stdout).stats.total_tools }).toEqual({ exit: 0, tools: 1 });
  });

  it('takes an empty name of the cache folder for none', () => {
    const home = newFolder();
    const file = join(newFolder(), 'logs.jsonl');
    writeFileSync(
      file,
      lines(
        Array.from({ length: 20 }, (_, i) =>
          claudeSession('a', [toolResult(i, { tool_input: 'x'.repeat(20_000) })]),
        ),
      ),
    );
    expect(judge([file], { env: { RENOWN_CACHE: '', XDG_CACHE_HOME: '', HOME: home } }).exit).toBe(0);
    expect(readdirSync(join(home, '.cache/renown/readings'))).toHaveLength(1);
  });

  it('judges again when something new is written, with --follow', async () => {
    const file = join(newFolder(), 'logs.jsonl');
    writeFileSync(file, lines([claudeSession('a', [toolResult(1)])]));
    const child = spawn(process.execPath, [BIN, 'judge', file, '--follow'], {
      env: { ...process.env, ...ENV },
    });
    let text = '';
    const until = (sign: RegExp) =>
      new Promise<void>((resolve) => {
        const look = () => sign.test(text) && resolve();
        child.stdout.on('data', look);
        look();
      });
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    await until(/total_tools: 1\n/);
    appendFileSync(file, lines([claudeSession('a', [toolResult(2), toolResult(3)])]));
    await until(/---\n[\s\S]*total_tools: 3\n/);
    child.kill();
  });

  it.each([
    [['--format', 'xml'], 2, 'There is no format "xml"'],
    [['--from', 'yesterday'], 2, '--from "yesterday" is no time'],
    [['--last', '--all'], 2, 'Only one of --session, --last and --all'],
    [['--masque-file', '/nonexistent.yaml'], 5, '/nonexistent.yaml could not be read (ENOENT)'],
  ])('refuses %j', (args, exit, message) => {
    expect(judge([claude, ...args])).toMatchObject({
      exit,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  it('refuses a file that is not there, and one without a session', () => {
    expect(judge(['/nonexistent.jsonl'])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('ENOENT'),
    });
    const empty = join(newFolder(), 'empty.jsonl');
    writeFileSync(empty, '');
    expect(judge([empty])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('There is no session in'),
    });
    expect(judge([newFolder()])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('has no file of telemetry'),
    });
  });
});

describe('a masque on the command line', () => {
  it('beside another in one session makes a list of verdicts in JSON', () => {
    const file = join(newFolder(), 'logs.jsonl');
    writeFileSync(
      file,
      lines([claudeSession('s', [toolResult(0, { masque: 'red' }), toolResult(120, { masque: 'blue' })])]),
    );
    const printed = JSON.parse(judge([file, '--format', 'json']).stdout);
    expect(printed.map(({ masque }: { masque: string }) => masque)).toEqual(['red', 'blue']);
    expect(JSON.parse(judge([file, '--format', 'json', '--masque', 'blue']).stdout).masque).toBe('blue');
  });

  it('is read from the session file', () => {
    const folder = newFolder();
    const file = join(folder, 'logs.jsonl');
    const at = (second: number) => new Date(START + second * 1000).toISOString();
    writeFileSync(
      file,
      lines([
        claudeSession(
          's',
          [60, 120, 180, 240, 300].map((second) => toolResult(second)),
        ),
      ]),
    );
    writeFileSync(
      join(folder, 'masque.yaml'),
      `active:\n  name: Codesmith\n  source: private\n  donned_at: ${at(150)}\nprevious:\n  name: Witness\n  source: private\n  doffed_at: '${at(90)}'\n`,
    );
    const documents = parseAllDocuments(
      judge([file, '--masque-file', join(folder, 'masque.yaml')]).stdout,
    ).map((document) => document.toJS());
    expect(documents.map(({ masque, stats }) => [masque, stats.total_tools])).toEqual([
      ['Witness', 1],
      ['Codesmith', 3],
    ]);
    writeFileSync(join(folder, 'broken.yaml'), 'active: [');
    expect(judge([file, '--masque-file', join(folder, 'broken.yaml')])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('is not YAML'),
    });
    writeFileSync(join(folder, 'wrong.yaml'), 'active: {name: x, donned_at: soon}');
    expect(judge([file, '--masque-file', join(folder, 'wrong.yaml')]).stderr).toContain('active.donned_at');
  });
});

/** Linux says which files a process has open. */
function hasOpen(pid: number | undefined, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === file;
    } catch {
      // Closed since it was listed.
      return false;
    }
  });
}
