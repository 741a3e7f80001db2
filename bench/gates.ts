/**
 * The gates beside one bare pass over the same characters, the proxy beside the same server without it, and what
 * `track()` costs.
 */
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createEngine } from '../src/gates/engine.ts';
import type { Gate } from '../src/gates/gate.ts';
import { DEFAULT_SUITE, openSuite } from '../src/gates/suite.ts';
import { VOCABULARY } from '../src/gates/vocabulary.ts';
import { content, filesystem, injection, pii, secrets } from '../src/sdk/gates.ts';
import { Renown } from '../src/sdk/index.ts';
import { format } from './measure.ts';

const ECHO_SERVER = new URL('../test/fixtures/mcp/echo-server.js', import.meta.url).pathname;
const BIN = new URL('../bin/renown.js', import.meta.url).pathname;

export async function run(): Promise<void> {
  await benchSuite();
  benchWorstCases();
  benchTrack();
  await benchProxy();
}

/** Texts that gates pass, so that every one of them looks at all of it. */
const TEXTS: Record<string, string> = {
  'source code': read('../src/store/duckdb/evaluations.ts'),
  prose: read('../LICENSE').replace(/\S+@\S+/g, ''),
  JSON: JSON.stringify(JSON.parse(read('../test/fixtures/vectors/performance.json'))),
};

async function benchSuite(): Promise<void> {
  const engine = await openSuite({ ...DEFAULT_SUITE, timeout_ms: 1000 });
  line('Default suite, one evaluation', 'p50', 'p99', 'bare pass', 'ratio', 'aim');
  for (const size of [1_000, 10_000, 100_000]) {
    for (const [name, source] of Object.entries(TEXTS)) {
      const output = flat(source, size);
      const rounds = Math.min(3000, 20_000_000 / size);
      const { passed, gates } = await engine.evaluate({ agent_id: 'a', output });
      if (!passed) throw new Error(`${name} is blocked by ${gates.find((gate) => !gate.passed)?.name}`);
      const times = new Float64Array(rounds);
      const bare = new Float64Array(rounds);
      for (let i = -200; i < rounds; i++) {
        const start = performance.now();
        await engine.evaluate({ agent_id: 'a', output });
        const middle = performance.now();
        barePass(output);
        if (i < 0) continue;
        times[i] = middle - start;
        bare[i] = performance.now() - middle;
      }
      const p50 = quantile(times, 0.5);
      const pass = quantile(bare, 0.5);
      line(
        `  ${size / 1000} kB of ${name}`,
        ms(p50),
        ms(quantile(times, 0.99)),
        ms(pass),
        `${format(p50 / pass)}×`,
        size === 10_000 ? 'p99 ≤ 0.25 ms' : '',
      );
    }
  }
}

/** Every word of the vocabulary repeated with what makes its rule look closest: the dearest text for each gate. */
function benchWorstCases(): void {
  line('\nDearest of the hostile texts, by gate', '100 kB', '1 MB', 'bare passes', 'ratio', 'aim');
  for (const gate of [
    filesystem(),
    pii(),
    secrets(),
    content({ refusals: true, disclaimers: true }),
    injection(),
  ]) {
    const alone = createEngine({ gates: [gate] });
    let worst = { text: '', passes: 0, time: 0 };
    for (const seed of hostileSeeds()) {
      const text = flat(seed, 100_000);
      const [time, pass] = [fastest(() => judge(gate, text), 2), fastest(() => barePass(text), 4)];
      if (time / pass > worst.passes) worst = { text: seed, passes: time / pass, time };
    }
    // Once more with the code warm: the first look at each text is slower than it is.
    const text = flat(worst.text, 100_000);
    const large = flat(worst.text, 1_000_000);
    const [small, pass] = [fastest(() => judge(gate, text), 15), fastest(() => barePass(text), 15)];
    const big = fastest(() => judge(gate, large), 5);
    line(
      `  ${alone.gateNames[0]}: ${JSON.stringify(worst.text.slice(0, 24))}`,
      ms(small),
      ms(big),
      format(small / pass),
      `${format(big / small)}×`,
      '≤ 40 passes, ≤ 12×',
    );
  }
}

function* hostileSeeds(): Generator<string> {
  const tails = [
    ' ',
    ' -a ',
    ' x;',
    '\n',
    ' aaaa\n',
    '/',
    ': "a1b2c3d4e5f6g7h8',
    ' the ',
    '| ',
    ' https://a.b/?c=d ',
  ];
  for (const word of VOCABULARY) {
    for (const tail of tails) yield `${word}${tail}`;
    yield `../${word}/`;
    yield ` .${word}/`;
    yield `<${word}>`;
  }
  yield* [
    'a@',
    'a@b.c ',
    'a@b.example.com ',
    'a://b:c@d ',
    '1 ',
    '12-',
    '+1 ',
    '(212) 736-',
    '4111 ',
    'DE89',
    'DE89 3704 ',
    'DE89 3704 0044 0532 0130 01 ',
    'DE89 ',
    'LC32 AAAA ',
    'GE29 ',
    '0 ',
    '01 ',
    '0123 ',
    '+1 1 1 1 1 1 1 ',
    '4111-1111-1111-1111-',
  ];
  yield* [
    'x'.repeat(64),
    'eyJ',
    `eyJ${'a'.repeat(20)}-`,
    'sk-',
    '../',
    '/../',
    '/a/../',
    '|',
    ':|',
    'a|a&',
    'a(){a|',
    '/..a',
    '/a/..',
    ' .env ',
    '.npmrc ',
    'f(){f|f ',
    '\u200b',
    '\u200b\u0e01',
    '\u{1f3f4}\u{e0067}',
  ];
  yield* [
    'token=',
    'password: a1',
    'api_key = "',
    `token=${'a1'.repeat(50)} `,
    `token=${'aA1.'.repeat(10)}`,
    `token=${'a-'.repeat(16)}1${'-a'.repeat(24)}!`,
    'pwd=',
    '-----BEGIN ',
    '](http://',
    '![a](https://a?b=',
  ];
  yield* [
    'I can ',
    'I cannot ',
    "I'm sorry ",
    'ignore all ',
    'ignore the ',
    'send the ',
    'rm a;',
    'rm -a\n',
    'rm -{r,f\n',
    'git rm -r\n',
    'find a -',
    'curl a |',
    'git clean ',
  ];
}

function benchTrack(): void {
  const renown = new Renown({
    url: 'http://127.0.0.1:9',
    key: 'k',
    queueMax: 10_000,
    flushMs: 86_400_000,
    batchSize: 1000,
    onDrop: () => undefined,
    surroundings: { fetch: () => new Promise(() => undefined) },
  });
  const gates = ['filesystem', 'pii', 'secrets', 'content', 'injection'].map((name) => ({
    name,
    outcome: 'passed' as const,
    passed: true,
    latency_ms: 0.1,
  }));
  const result = { agent_id: 'a', tool: 't', passed: true, gates, total_latency_ms: 1, timestamp: 1 };
  const times = new Float64Array(20);
  let id = 0;
  for (let round = 0; round < times.length; round++) {
    const start = performance.now();
    for (let i = 0; i < 10_000; i++) renown.track({ ...result, evaluation_id: `e${id++}` });
    times[round] = (performance.now() - start) / 10;
  }
  line('\ntrack(), queue full', `${format(quantile(times, 0.5))} µs`, '', '', '', '≤ 2 µs');
}

async function benchProxy(): Promise<void> {
  const direct = await open([ECHO_SERVER]);
  const proxied = await open([BIN, 'proxy', '--', process.execPath, ECHO_SERVER]);
  const rounds = 3000;
  const [without, through] = [new Float64Array(rounds), new Float64Array(rounds)];
  for (let i = -300; i < rounds; i++) {
    for (const [client, times] of [
      [direct, without],
      [proxied, through],
    ] as const) {
      const start = performance.now();
      await client.callTool({
        name: 'echo',
        arguments: { text: 'The quick brown fox jumps over the lazy dog.' },
      });
      if (i >= 0) times[i] = performance.now() - start;
    }
  }
  await Promise.all([direct.close(), proxied.close()]);
  line('\nOne tool call', 'p50', 'p99');
  line('  without the proxy', ms(quantile(without, 0.5)), ms(quantile(without, 0.99)));
  line('  through it', ms(quantile(through, 0.5)), ms(quantile(through, 0.99)));
  const added = (q: number) => ms(quantile(through, q) - quantile(without, q));
  line('  added', added(0.5), added(0.99), '', '', '≤ 0.5 ms');
}

async function open(args: string[]): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const env = { ...(process.env as Record<string, string>) };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  return client;
}

function judge(gate: Gate, output: string): number {
  return (gate.run({ agent_id: 'a', output }, NEVER) as { passed: boolean }).passed ? 1 : 0;
}

const NEVER = new AbortController().signal;

/** Reads every character once, and does nothing else with it. */
function barePass(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum + text.charCodeAt(i)) | 0;
  return sum;
}

function fastest(work: () => number, rounds: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** A text of this size in one piece, as a parser would have made it. */
function flat(source: string, size: number): string {
  return JSON.parse(
    JSON.stringify(
      source
        .repeat(Math.ceil(size / source.length))
        .slice(0, size)
        .toWellFormed(),
    ),
  );
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

function quantile(times: Float64Array, q: number): number {
  return times.toSorted()[Math.floor(q * (times.length - 1))] as number;
}

function ms(value: number): string {
  return `${value < 1 ? value.toFixed(3) : format(value)} ms`;
}

function line(name: string, ...cells: string[]): void {
  process.stdout.write(`${[name.padEnd(44), ...cells.map((cell) => cell.padEnd(14))].join('').trimEnd()}\n`);
}
