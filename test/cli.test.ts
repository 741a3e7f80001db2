import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeWith } from './support/describe-with.ts';
import { BIN, renown } from './support/renown.ts';

const ONE = '{"evaluations":[{"passed":true,"latency_ms":3,"agent_latency_ms":800}]}';

describe('renown score', () => {
  it('prints one compact line when piped, figures first and why beside them', () => {
    const { exit, stdout } = renown(['score', 'reputation'], { input: ONE });
    expect(exit).toBe(0);
    expect(stdout.trimEnd()).not.toContain('\n');
    expect(JSON.parse(stdout)).toMatchObject({
      score: 646,
      status: 'calibrating',
      evaluations: 1,
      avg_latency_ms: 3,
      avg_agent_latency_ms: 800,
      window_size: 500,
      explain: {
        components: { pass_rate: 400, latency: 242.5, streak: 4, volume: 0.3 },
        next_pass: { score: 651, change: 5 },
        next_failure: { score: 443, change: -203 },
        full_streak: { passes: 49, score: 857, change: 211 },
      },
    });
  });

  it('reads a file, a pretty-printed document, a list and JSON Lines', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'renown-')), 'input.json');
    writeFileSync(file, JSON.stringify(JSON.parse(ONE), null, 2));
    expect(JSON.parse(renown(['score', 'reputation', file]).stdout).score).toBe(646);
    expect(
      JSON.parse(renown(['score', 'reputation', '-'], { input: `[${ONE},${ONE}]` }).stdout),
    ).toHaveLength(2);
    expect(JSON.parse(renown(['score', 'reputation'], { input: '[]' }).stdout)).toEqual([]);
    const lines = renown(['score', 'reputation'], { input: `\uFEFF${ONE}\r\n\r\n${ONE}\n` }).stdout;
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).score),
    ).toEqual([646, 646]);
  });

  it('scores identity as of now when the input names no moment', () => {
    const events = [{ timestamp: Date.now() - 1000, category: 'economic', score_delta: 1 }];
    const { stdout } = renown(['score', 'identity'], { input: JSON.stringify({ events }) });
    expect(JSON.parse(stdout)).toMatchObject({ economic_score: 1, total_events: 1, now: expect.any(Number) });
  });

  it.each([
    ['no command', ['nonsense'], '', 2, 'There is no command "nonsense". Run `renown --help`'],
    ['no metric', ['score'], '', 2, 'Say which score: reputation'],
    ['an unknown metric', ['score', 'toString'], '', 2, 'There is no score "toString"'],
    ['an unknown option', ['score', 'reputation', '--jsn'], '', 2, 'Unknown option "--jsn"'],
    ['an argument too many', ['score', 'reputation', 'a', 'b'], '', 2, '"b" is one argument too many'],
    ['a missing file', ['score', 'reputation', '/does/not/exist'], '', 5, 'could not be read (ENOENT)'],
    ['a folder', ['score', 'reputation', '/'], '', 5, 'could not be read (EISDIR)'],
    ['nothing', ['score', 'reputation'], ' \n', 3, 'The input is empty'],
    ['no JSON', ['score', 'reputation'], '{"evaluations": [secret]}', 3, 'The input is not JSON'],
    ['a bad line', ['score', 'reputation'], `${ONE}\n{"evalu\n`, 3, 'Line 2 is not JSON'],
    ['a number', ['score', 'reputation'], '7', 3, 'The input must be an object'],
    ['null', ['score', 'performance'], 'null', 3, 'The input must be an object'],
    ['a field of another name', ['score', 'performance'], '{"counter":{}}', 3, 'counters must be an object'],
    [
      'a shape',
      ['score', 'reputation'],
      '{"evaluations":[3]}',
      3,
      'evaluations[0] must be [passed, latency_ms] or',
    ],
    [
      'a range',
      ['score', 'reputation'],
      '{"evaluations":[[true,-3]]}',
      3,
      'evaluations[0].latency_ms must be a number from 0 to 86400000, not -3',
    ],
    [
      'infinity in disguise',
      ['score', 'reputation'],
      '{"evaluations":[[true,1e999]]}',
      3,
      'evaluations[0].latency_ms',
    ],
    [
      'a range in a list',
      ['score', 'reputation'],
      `[${ONE},{"evaluations":[[true,-3]]}]`,
      3,
      '[1]: evaluations[0].latency_ms',
    ],
    [
      'a signal',
      ['score', 'agent_reliability'],
      '{"traces":[{"trace_id":"t","signals":{"confidence":"1"}}]}',
      3,
      'traces[0].signals.confidence',
    ],
    [
      'a weight',
      ['score', 'agent_consistency'],
      '{"traces":[],"signal_weights":{"confidence":101}}',
      3,
      'signal_weights.confidence',
    ],
    ['a threshold', ['score', 'agent_consistency'], '{"traces":[],"threshold":2}', 3, 'threshold'],
    [
      'a counter',
      ['score', 'performance'],
      '{"counters":{"tools_ok":2,"total_tools":1}}',
      3,
      'counters.tools_ok is 2, more than total_tools (1)',
    ],
    [
      'a category',
      ['score', 'identity'],
      '{"now":0,"events":[{"timestamp":0,"category":"charm","score_delta":0}]}',
      3,
      'events[0].category',
    ],
  ])(
    'refuses %s with its exit code, a message that says what and where, and nothing on standard output',
    (_, args, input, exit, message) => {
      const result = renown(args, { input });
      expect(result).toMatchObject({ exit, stdout: '' });
      expect(result.stderr).toContain(message);
      expect(result.stderr).toMatch(/^renown: /);
      expect(result.stderr).not.toContain('secret');
    },
  );

  it('answers JSON Lines as they come, up to one that it refuses, and names that line', () => {
    const { exit, stdout, stderr } = renown(['score', 'reputation'], {
      input: `${ONE}\n\n{"evaluations":[[true,-3]]}\n${ONE}`,
    });
    expect(exit).toBe(3);
    expect(JSON.parse(stdout).score).toBe(646);
    expect(stderr).toContain('line 3: evaluations[0].latency_ms must be');
  });

  it('refuses bytes that are no text', () => {
    const { exit, stderr } = renown(['score', 'reputation'], { input: Buffer.from([0x22, 0xff, 0x22]) });
    expect({ exit, stderr }).toEqual({ exit: 3, stderr: 'renown: Standard input is not text in UTF-8.\n' });
  });

  it('answers errors with the body of every surface under --json', () => {
    const { exit, stderr } = renown(['score', 'reputation', '--json'], {
      input: '{"evaluations":[[true,-3],[1,2]]}',
    });
    expect(exit).toBe(3);
    expect(JSON.parse(stderr)).toEqual({
      error: 'evaluations[0].latency_ms must be a number from 0 to 86400000, not -3 (and 1 more).',
      code: 'invalid_request',
      status: 400,
      details: [
        { path: 'evaluations[0].latency_ms', message: 'must be a number from 0 to 86400000, not -3' },
        { path: 'evaluations[1].passed', message: 'must be true or false' },
      ],
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it.each([
    [
      'agent_reliability',
      '{"traces":[{"trace_id":"t","signals":{"__proto__":1}}]}',
      'traces[0].signals.__proto__',
    ],
    ['agent_reliability', '{"traces":[],"signal_weights":{"__proto__":500}}', 'signal_weights.__proto__'],
    ['performance', '{"counters":{"__proto__":1}}', 'counters.__proto__'],
    [
      'agent_reliability',
      '{"traces":[{"trace_id":"t","signals":{},"confidence":1}]}',
      'traces[0].confidence',
    ],
    ['reputation', '{"evaluations":[],"evaluation":[]}', 'evaluation'],
    ['reputation', '{"evaluations":[{"passed":true,"latency_ms":"3"}]}', 'evaluations[0].latency_ms'],
    [
      'identity',
      '{"now":0,"events":[{"timestamp":0,"category":"economic","score_delta":0,"confidence":7}]}',
      'events[0].confidence',
    ],
  ])(
    'refuses a name it does not know, and a value of the wrong type, by their path: %s %s',
    (metric, input, path) => {
      const { exit, stderr } = renown(['score', metric, '--json'], { input });
      expect(exit).toBe(3);
      expect(JSON.parse(stderr).details.map((issue: { path: string }) => issue.path)).toEqual([path]);
    },
  );

  it('lists what else is wrong below the message', () => {
    const { stderr } = renown(['score', 'reputation'], { input: '{"evaluations":[[true,-3],[1,2]]}' });
    expect(stderr).toMatch(
      /^renown: .*\(and 1 more\)\.\n {2}evaluations\[1\]\.passed must be true or false\n$/,
    );
  });

  it('prints a made-up name so that it cannot forge a line or colour a terminal, and only so much of it', () => {
    const name = `\u001b[31mred\nrenown: all is well${'x'.repeat(100_000)}`;
    const { stderr } = renown(['score', 'performance'], {
      input: JSON.stringify({ counters: { [name]: 1 } }),
    });
    expect(stderr).not.toContain('\u001b');
    expect(stderr.trim()).not.toContain('\n');
    expect(stderr.length).toBeLessThan(500);
  });

  it('reads no more than its limit', () => {
    const { exit, stderr } = renown(['score', 'reputation'], { input: Buffer.alloc(33 * 1024 * 1024, 0x20) });
    expect(exit).toBe(4);
    expect(stderr).toContain('Standard input is larger than 33554432 bytes');
  });

  it('understands options before the command, and help for a command either way round', () => {
    expect(renown(['--json', 'score', 'reputation'], { input: ONE })).toMatchObject({ exit: 0 });
    const help = renown(['score', '--help']).stdout;
    expect(renown(['--help', 'score']).stdout).toBe(help);
    expect(renown(['score', 'reputation', '--', '--help'])).toMatchObject({ exit: 5 });
  });

  it('says so when its answer cannot be written', () => {
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', `"${process.execPath}" "${BIN}" --help > /dev/full`],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'renown: Standard output could not be written (ENOSPC).\n',
    });
  });

  it('takes a closed pipe for an answer', () => {
    const shell = `yes '${ONE}' | head -20000 | "${process.execPath}" "${BIN}" score reputation | head -1; echo "\${PIPESTATUS[2]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', shell], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n').at(-1)).toBe('0');
  });
});

const SCRIPT = {
  name: 'script',
  probe: ['script', '-qec', 'true', '/dev/null'],
  install: 'apt-get install bsdutils',
} as const;

describeWith(SCRIPT, 'on a real terminal', () => {
  const onTerminal = (command: string, env: object = {}) =>
    spawnSync('script', ['-qec', `"${process.execPath}" "${BIN}" ${command}`, '/dev/null'], {
      encoding: 'utf8',
      env: { ...process.env, TERM: 'xterm', NO_COLOR: undefined, ...env },
    }).stdout;

  it('help is in colour, but never with NO_COLOR, whatever its value, nor on a dumb terminal', () => {
    expect(onTerminal('--help')).toContain('\u001b[1mCommands\u001b[22m');
    for (const env of [{ NO_COLOR: '1' }, { NO_COLOR: '' }, { TERM: 'dumb' }]) {
      expect(onTerminal('--help', env)).not.toContain('\u001b[');
    }
  });

  it('piped help is not in colour', () => {
    expect(renown(['--help'], { env: { TERM: 'xterm', NO_COLOR: undefined } }).stdout).not.toContain(
      '\u001b[',
    );
  });

  it('scores are indented for people, and in one line with --json', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'renown-')), 'input.json');
    writeFileSync(file, ONE);
    expect(onTerminal(`score reputation ${file}`)).toContain('\r\n  "score": 646,\r\n');
    expect(onTerminal(`score reputation --json ${file}`).trim().split('\n')).toHaveLength(1);
  });

  it('a command that would wait for typing says what to do instead', () => {
    expect(onTerminal('score reputation')).toContain('Name a file, or pipe the input in');
  });
});
