/**
 * `renown judge` on collector logs of 50 MB and 300 MB, beside reading the bytes, parsing every line, and the same scoring
 * as SQL. Every contestant is a process of its own, started anew in each round, and they take turns; its start counts.
 * `npm run bench -- judge 50` does only the smaller file.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from '../scripts/build.js';
import { format } from './measure.ts';
import { writeLogs } from './otlp-logs.ts';

const CONTESTANT = fileURLToPath(new URL('./judge-contestant.js', import.meta.url));
const ROUNDS = 3;

interface Contestant {
  name: string;
  args: string[];
  aim?: string;
  /** Slow ones run once. */
  once?: true;
  before?: () => void;
}

export async function run([only]: string[]): Promise<void> {
  buildIfStale();
  const folder = mkdtempSync(join(tmpdir(), 'renown-bench-'));
  try {
    for (const megabytes of only === undefined ? [50, 300] : [Number(only)])
      await judgeFile(folder, megabytes);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function judgeFile(folder: string, megabytes: number): Promise<void> {
  const file = join(folder, 'logs.jsonl');
  const { bytes, records, sessions } = writeLogs(file, megabytes * 1e6);
  process.stdout.write(
    `\n${format(bytes / 1e6)} MB, ${records} records of ${format(bytes / records)} bytes, ${sessions} sessions; load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  const uncached = ['--no-cache', '--json'];
  const times = contest(
    [
      { name: 'reading the bytes', args: ['read', file] },
      { name: 'JSON.parse of every line', args: ['parse', file] },
      {
        name: 'renown judge --last',
        args: ['judge', file, '--last', ...uncached],
        aim: '≥ 1.5× JSON.parse, < 200 MB',
      },
      {
        name: 'renown judge --all',
        args: ['judge', file, '--all', ...uncached],
        aim: '≥ 1× JSON.parse, ≥ 10× SQL, < 200 MB',
      },
      { name: 'the same scoring as SQL in DuckDB', args: ['sql', file], once: true },
    ],
    bytes,
  );
  ratio('--last against JSON.parse', times[1], times[2]);
  ratio('--all against JSON.parse', times[1], times[3]);
  ratio('--all against SQL', times[4], times[3]);
  secondRun(folder, file, bytes);
}

/** A file that grew by one per cent since it was judged. */
function secondRun(folder: string, file: string, bytes: number): void {
  const more = join(folder, 'more.jsonl');
  writeLogs(more, bytes / 100, 2);
  process.env.RENOWN_CACHE = join(folder, 'cache');
  const size = statSync(file).size;
  const args = ['judge', file, '--last', '--json'];
  const [first, second] = contest(
    [
      {
        name: 'first run, which also fills the cache',
        args,
        before: () => rmSync(join(folder, 'cache'), { recursive: true, force: true }),
      },
      {
        name: 'second run, after 1 % more',
        args,
        aim: '< 1/10 of the first',
        before: () => appendFileSync(file, readFileSync(more)),
      },
    ],
    size,
  );
  if (first && second)
    process.stdout.write(`  the second run takes ${format((second.ms / first.ms) * 100)} % of the first\n`);
}

interface Time {
  ms: number;
  /** Of all threads: what the clock says is of little use on a busy machine. */
  cpuMs: number;
}

/** Runs all in turn. Answers with the median times of each. */
function contest(contestants: readonly Contestant[], bytes: number): Time[] {
  const runs = contestants.map((): (Time & { megabytes: number })[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    contestants.forEach((contestant, i) => {
      if (!contestant.once || round === 0) runs[i]?.push(runOnce(contestant));
    });
  }
  return contestants.map(({ name, aim = '' }, i) => {
    const ms = median(runs[i]?.map((run) => run.ms) ?? []);
    const cpuMs = median(runs[i]?.map((run) => run.cpuMs) ?? []);
    const memory = Math.max(...(runs[i]?.map((run) => run.megabytes) ?? []));
    const figures = [
      `${format(ms)} ms`,
      `${format(bytes / 1e3 / ms)} MB/s`,
      `${format(cpuMs)} ms of CPU`,
      `${format(memory)} MB`,
    ];
    process.stdout.write(
      `  ${name.padEnd(38)} ${figures.map((text) => ` ${text.padStart(16)}`).join('')}  ${aim}\n`,
    );
    return { ms, cpuMs };
  });
}

function runOnce({ args, before }: Contestant) {
  before?.();
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [CONTESTANT, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  const [kilobytes = 0, cpuMs = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { ms, cpuMs, megabytes: kilobytes / 1024 };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function ratio(what: string, slow: Time | undefined, fast: Time | undefined): void {
  if (!slow || !fast) return;
  const [clock, cpu] = [format(slow.ms / fast.ms), format(slow.cpuMs / fast.cpuMs)];
  process.stdout.write(`  ${what.padEnd(38)} ${clock}× on the clock, ${cpu}× in processor time\n`);
}
