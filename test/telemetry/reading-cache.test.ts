import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { line, readAll, useFolder } from '../support/telemetry-files.ts';

const inFolder = useFolder();

describe('the cache of what was read', () => {
  const big = () =>
    Array.from({ length: 20 }, (_, i) => line(`s${i % 7}`, i * 40, 40, 'p'.repeat(400))).join('');
  /** As long, and beginning in the same way. */
  const rewritten = () => big().slice(0, 30_000) + big().slice(30_000).replaceAll('"s', '"t');
  const cached = () => readdirSync(inFolder('cache'));
  const judged = async (cache: string | null) =>
    (await readAll([inFolder('logs.jsonl')], { cache })).verdicts;

  it('changes no number: not on the first run, not on the second, not on a file that grew, not when it is deleted', async () => {
    writeFileSync(inFolder('logs.jsonl'), big());
    for (const step of ['first', 'second', 'grown', 'half a line', 'deleted']) {
      // What comes again was counted before, in part of the file that is not read any more.
      if (step === 'grown') appendFileSync(inFolder('logs.jsonl'), line('s3', 0, 3) + line('late', 0, 5));
      if (step === 'half a line') appendFileSync(inFolder('logs.jsonl'), line('late', 5).slice(0, -20));
      if (step === 'deleted') rmSync(inFolder('cache'), { recursive: true });
      expect(await judged(inFolder('cache')), step).toEqual(await judged(null));
      expect(cached()).toHaveLength(1);
    }
  });

  it('reads only what is new', async () => {
    writeFileSync(inFolder('logs.jsonl'), big());
    await judged(inFolder('cache'));
    // Damage between its edges that a reader of the whole file could not miss.
    const bytes = readFileSync(inFolder('logs.jsonl'));
    bytes.fill(0x20, 50_000, 60_000);
    writeFileSync(inFolder('logs.jsonl'), bytes);
    const again = await readAll([inFolder('logs.jsonl')], { cache: inFolder('cache') });
    expect(again.reading.brokenLines).toBe(0);
    expect(Object.values(again.tools).reduce((a, b) => a + b)).toBe(800);
  });

  it('remembers how many lines were too long', async () => {
    const path = inFolder('long.jsonl');
    writeFileSync(path, `${line('a', 0, 1)}${'x'.repeat(LIMITS.telemetryLineBytesMax + 2 * 1024 * 1024)}\n`);
    const first = await readAll([path], { cache: inFolder('cache') });
    expect(first.reading.tooLongLines).toBe(1);
    expect((await readAll([path], { cache: inFolder('cache') })).reading).toEqual(first.reading);
  });

  it('does not count a line that is too long before it has ended', async () => {
    const path = inFolder('long.jsonl');
    writeFileSync(path, big() + 'x'.repeat(LIMITS.telemetryLineBytesMax + 1024 * 1024));
    const unended = await readAll([path], { cache: inFolder('cache') });
    expect(unended.reading).toMatchObject({ tooLongLines: 1, brokenLines: 0 });
    appendFileSync(path, `xxx\n${line('late', 0, 2)}`);
    const ended = await readAll([path], { cache: inFolder('cache') });
    expect(ended).toEqual(await readAll([path]));
    expect(ended.reading).toMatchObject({ tooLongLines: 1, brokenLines: 0 });
  });

  it('holds no payload', async () => {
    writeFileSync(inFolder('logs.jsonl'), big().replaceAll('pppp', 'secret'));
    await judged(inFolder('cache'));
    const [name = ''] = cached();
    expect(readFileSync(join(inFolder('cache'), name)).includes('secret')).toBe(false);
  });

  it.each([
    ['shortened', (path: string) => truncateSync(path, 300_000)],
    ['written anew behind its head', (path: string) => writeFileSync(path, rewritten())],
    ['replaced under its name', (path: string) => writeFileSync(path, line('other', 0, 2) + big())],
    [
      'rotated away',
      (path: string) => {
        renameSync(path, `${path}.1`);
        writeFileSync(path, line('other', 0, 2));
      },
    ],
  ])('is of no use for a file that was %s', async (_, change) => {
    writeFileSync(inFolder('logs.jsonl'), big());
    await judged(inFolder('cache'));
    change(inFolder('logs.jsonl'));
    expect(await judged(inFolder('cache'))).toEqual(await judged(null));
  });

  it('that is damaged anywhere is none', async () => {
    writeFileSync(inFolder('logs.jsonl'), big());
    const read = () => readAll([inFolder('logs.jsonl')], { cache: inFolder('cache') });
    const right = await read();
    const path = join(inFolder('cache'), cached()[0] ?? '');
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 60)) {
      for (const damage of [0x00, 0xff, (whole[at] as number) ^ 1]) {
        const damaged = Buffer.from(whole);
        damaged.fill(damage, at, at + 1);
        writeFileSync(path, damaged);
        expect(await read(), `byte ${at}`).toEqual(right);
      }
    }
    writeFileSync(path, Buffer.concat([whole.subarray(0, whole.length / 2), Buffer.alloc(whole.length / 2)]));
    expect(await read()).toEqual(right);
  });

  it('that cannot be read or written is none', async () => {
    writeFileSync(inFolder('logs.jsonl'), big());
    await judged(inFolder('cache'));
    const [name = ''] = cached();
    for (const rubbish of [
      '',
      'rubbish',
      '{"version":"renown-reading-1"}\n',
      readFileSync(join(inFolder('cache'), name)).subarray(0, -9),
    ]) {
      writeFileSync(join(inFolder('cache'), name), rubbish);
      expect(await judged(inFolder('cache'))).toEqual(await judged(null));
    }
    writeFileSync(inFolder('no-folder'), '');
    expect(await judged(inFolder('no-folder'))).toEqual(await judged(null));
  });
});
