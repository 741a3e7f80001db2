/** `renown judge` as a process: what it finds, what it prints, and the golden vectors through files. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { judgeBatches, judgeText } from './support/judge-session.ts';
import { type Log, lines, logBatch } from './support/otlp.ts';
import { BIN, renown } from './support/renown.ts';
import { expectAgreement, vectors } from './support/vectors.ts';

const T = Date.UTC(2026, 10, 1, 9);
const FIXTURES = fileURLToPath(new URL('./fixtures/telemetry', import.meta.url));
const claude = join(FIXTURES, 'claude-code.jsonl');
const ENV = { RENOWN_CACHE: mkdtempSync(join(tmpdir(), 'renown-cache-')) };
const newFolder = () => mkdtempSync(join(tmpdir(), 'renown-judge-'));
const judge = (args: string[], options: Parameters<typeof renown>[1] = {}) =>
  renown(['judge', ...args], { ...options, env: { ...ENV, ...options.env } });

function session(
  id: string,
  events: [name: string, second: number, attributes?: Log['attributes']][],
): object {
  return logBatch(
    events.map(([name, second, attributes = {}]) => ({
      name: `claude_code.${name}`,
      at: T + second * 1000,
      attributes: { 'session.id': id, ...attributes },
    })),
    { resource: { 'service.name': 'claude-code' } },
  );
}
const tool = (second: number, attributes: Log['attributes'] = {}): [string, number, Log['attributes']] => [
  'tool_result',
  second,
  { tool_name: 'Bash', tool_use_id: `t${second}`, success: 'true', ...attributes },
];

describe('the golden vectors of performance, through telemetry', () => {
  it.each(vectors('performance').map((one) => [one.name, one] as const))('%s', (_, one) => {
    const counters = one.counters as Record<string, number | null>;
    const end = (counters.duration_min ?? 0) * 60;
    const at = (i: number, n: number) => (n <= 1 ? 0 : (end * i) / (n - 1));
    const {
      total_tools: tools = 0,
      tools_ok: ok = 0,
      prompts = 0,
      total_tokens: tokens = 0,
      cache_tokens: cache = 0,
    } = counters;
    const verdict = judgeBatches([
      session('s', [
        ['other', 0],
        ['other', end],
        ...Array.from({ length: prompts ?? 0 }, (_, i): [string, number, Log['attributes']] => [
          'user_prompt',
          0,
          { 'prompt.id': `p${i}` },
        ]),
        ...Array.from({ length: tools ?? 0 }, (_, i) =>
          tool(at(i, tools ?? 0), { tool_use_id: `t${i}`, success: String(i < (ok ?? 0)) }),
        ),
        [
          'api_request',
          0,
          {
            request_id: 'r',
            input_tokens: (tokens ?? 0) - (cache ?? 0),
            output_tokens: 0,
            cache_read_tokens: cache ?? 0,
            cache_creation_tokens: 0,
            cost_usd: counters.total_cost ?? 0,
          },
        ],
      ]),
    ]);
    const { dimensions, composite, recommendation } = one.expected;
    expectAgreement(
      {
        dimensions: verdict.dimensions,
        composite: verdict.composite,
        recommendation: verdict.recommendation,
      },
      { dimensions, composite, recommendation },
    );
  });
});

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
      lines([session('b', [tool(50)]), session('a', [tool(1), tool(99)]), session('c', [tool(60)])]),
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
      { name: 'claude_code.user_prompt', at: T },
      { name: 'hello', at: T },
      { name: 'claude_code.api_request', at: T, attributes: { 'session.id': 'b', cost_usd: '-5' } },
    ]);
    const { stdout, stderr } = judge(['-'], {
      input: `${lines([session('a', [tool(1)]), nameless])}rubbish\n`,
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
    writeFileSync(join(folder, 'a.jsonl'), lines([session('a', [tool(1)])]));
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
      session(`s${i % 7}`, [tool(i, { tool_input: padding, success: String(i % 5 > 0) })]),
    );
    // Replayed in the other half, broken in both, and cut off at the end.
    const text = `${lines([...batches, ...batches.slice(0, 50)])}rubbish\n`;
    writeFileSync(file, `rubbish\n${text}{"resourceLogs":[`);
    const { stdout, stderr } = judge([file, '--all', '--json', '--no-cache']);
    expect(JSON.parse(stdout)).toEqual(judgeText(text));
    expect(stderr).toBe('2 lines are not JSON, and were passed over.\n');
  });

  it('judges again when something new is written, with --follow', async () => {
    const file = join(newFolder(), 'logs.jsonl');
    writeFileSync(file, lines([session('a', [tool(1)])]));
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
    appendFileSync(file, lines([session('a', [tool(2), tool(3)])]));
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

describe('a masque', () => {
  const events = lines([
    session('s', [['user_prompt', 0], tool(60), tool(120), tool(180), tool(240), tool(300)]),
  ]);
  const at = (second: number) => new Date(T + second * 1000).toISOString();
  const parts = (request: Parameters<typeof judgeText>[1]) =>
    judgeText(events, request).map(({ masque, duration_min, stats }) => [
      masque,
      duration_min,
      stats.total_tools,
    ]);
  const active = (second: number) => ({ active: { name: 'new', donnedAt: T + second * 1000 } });
  const previous = (second: number) => ({ previous: { name: 'old', doffedAt: T + second * 1000 } });

  it.each([
    ['nobody wore one', {}, [['none', 5, 5]]],
    ['it was donned before the session', active(-60), [['new', 5, 5]]],
    ['it was donned within the session', active(150), [['new', 2.5, 3]]],
    ['it was donned after the session', active(400), [['none', 5, 5]]],
    ['it was doffed within the session', previous(150), [['old', 2.5, 2]]],
    ['it was doffed before the session', previous(-60), [['none', 5, 5]]],
    ['it was doffed after the session', previous(400), [['old', 5, 5]]],
    [
      'one was changed for another',
      { ...previous(90), ...active(200) },
      [
        ['old', 1.5, 1],
        ['new', 1.7, 2],
      ],
    ],
    [
      'one was changed for another at once',
      { ...previous(120), ...active(120) },
      [
        ['old', 2, 1],
        ['new', 3, 4],
      ],
    ],
  ])('counts from don to doff when %s', (_, masqueSession, expected) => {
    expect(parts({ masqueSession })).toEqual(expected);
  });

  it('is the one that is asked for, or a name for the whole session', () => {
    expect(parts({ masque: 'old', masqueSession: { ...previous(90), ...active(200) } })).toEqual([
      ['old', 1.5, 1],
    ]);
    expect(parts({ masque: 'other', masqueSession: active(150) })).toEqual([['other', 5, 5]]);
  });

  it('gives way to times that are named', () => {
    expect(parts({ masqueSession: active(150), window: { from: T + 100_000, to: T + 240_000 } })).toEqual([
      ['none', 2.3, 2],
    ]);
  });

  it('may be named by the records, and two in one session are scored apart', () => {
    const batches = [
      session('s', [tool(0, { masque: 'red' }), tool(60, { masque: 'red' }), tool(120, { masque: 'blue' })]),
    ];
    expect(
      judgeText(lines(batches)).map(({ masque, stats, duration_min }) => [
        masque,
        stats.total_tools,
        duration_min,
      ]),
    ).toEqual([
      ['red', 2, 1],
      ['blue', 1, 0],
    ]);
  });

  it('that the records name is chosen by its name, and never given another', () => {
    const named = lines([
      session('s', [tool(0, { masque: 'red' }), tool(60, { masque: 'red' }), tool(120, { masque: 'blue' })]),
      session('t', [tool(500)]),
    ]);
    const of = (masque: string) =>
      judgeText(named, { masque }).map(({ session: { session_id }, masque: worn, stats }) => [
        session_id,
        worn,
        stats.total_tools,
      ]);
    expect(of('red')).toEqual([
      ['s', 'red', 2],
      ['t', 'red', 1],
    ]);
    expect(of('green')).toEqual([['t', 'green', 1]]);
    expect(() => judgeText(named, { masque: 'green', which: { session: 's' } })).toThrow(
      'There is no session',
    );
  });

  it('beside another in one session makes a list of verdicts in JSON', () => {
    const file = join(newFolder(), 'logs.jsonl');
    writeFileSync(file, lines([session('s', [tool(0, { masque: 'red' }), tool(120, { masque: 'blue' })])]));
    const printed = JSON.parse(judge([file, '--format', 'json']).stdout);
    expect(printed.map(({ masque }: { masque: string }) => masque)).toEqual(['red', 'blue']);
    expect(JSON.parse(judge([file, '--format', 'json', '--masque', 'blue']).stdout).masque).toBe('blue');
  });

  it('is read from the session file', () => {
    const folder = newFolder();
    const file = join(folder, 'logs.jsonl');
    writeFileSync(file, events);
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

describe('a time that is cut out', () => {
  const text = lines([
    session('early', [tool(0), tool(60)]),
    session('across', [tool(90), tool(120), tool(400)]),
    session('late', [tool(500), tool(600)]),
  ]);
  const window = { from: T + 100_000, to: T + 300_000 };
  const ids = (which: 'all' | 'last') =>
    judgeText(text, { which, window }).map(({ session: { session_id } }) => session_id);

  it('leaves out sessions that lie outside, and has a last one of its own', () => {
    expect(ids('all')).toEqual(['across']);
    expect(ids('last')).toEqual(['across']);
    expect(() => judgeText(text, { which: { session: 'late' }, window })).toThrow('There is no session');
  });
});

describe('a baseline', () => {
  const past = (n: number, kind = 'Bash') =>
    Array.from({ length: n }, (_, i) =>
      session(`p${i}`, [
        ['user_prompt', i * 1000],
        tool(i * 1000 + 30, { tool_name: kind }),
        tool(i * 1000 + 60, { tool_name: kind, success: i % 2 ? 'true' : 'false' }),
      ]),
    );
  const now = session('now', [['user_prompt', 90_000], tool(90_030), tool(90_060)]);
  const baseline = (batches: object[]) =>
    judgeText(lines([...batches, now]), { which: { session: 'now' } })[0]?.baseline;

  it('is none below five earlier sessions, and says how many there are', () => {
    expect(baseline(past(3))).toBe('not enough sessions yet (3 of 5)');
  });

  it('is a median difference with an interval that is the same on every run', () => {
    const result = baseline(past(9));
    expect(result).toEqual(baseline(past(9)));
    expect(result).toMatchObject({ kind_of_work: 'running', sessions: 9, difference: expect.any(Number) });
    const { low, high, difference } = result as { low: number; high: number; difference: number };
    expect(low).toBeLessThanOrEqual(difference);
    expect(high).toBeGreaterThanOrEqual(difference);
    expect(difference).toBeGreaterThan(0);
  });

  it('compares only what is of the same kind of work, and earlier', () => {
    expect(baseline(past(9, 'Edit'))).toBe('not enough sessions yet (0 of 5)');
    const later = past(9).map((batch) =>
      JSON.parse(
        JSON.stringify(batch).replaceAll(
          /"timeUnixNano":"(\d+)"/g,
          (_, nanos) => `"timeUnixNano":"${BigInt(nanos) + 10n ** 15n}"`,
        ),
      ),
    );
    expect(baseline(later)).toBe('not enough sessions yet (0 of 5)');
  });
});
