import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toVerdictWire } from '../../src/core/contract/verdict.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { judgeSessions } from '../../src/service/judge-sessions.ts';
import { ByteLines } from '../../src/telemetry/files/byte-lines.ts';
import { findFiles } from '../../src/telemetry/files/find-files.ts';
import { Sources } from '../../src/telemetry/files/sources.ts';
import { lines, logBatch } from '../support/otlp.ts';

const T = Date.UTC(2026, 10, 1, 9);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'renown-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inFolder = (name: string) => join(folder, name);

/** A line with `count` tool results of a session, the first of them number `from`. */
function line(session: string, from: number, count = 1, padding = ''): string {
  return lines([
    logBatch(
      Array.from({ length: count }, (_, i) => ({
        name: 'claude_code.tool_result',
        at: T + (from + i) * 1000,
        attributes: {
          'session.id': session,
          tool_name: 'Bash',
          tool_use_id: `${session}-${from + i}`,
          success: 'true',
          tool_input: padding,
        },
      })),
      { resource: { 'service.name': 'claude-code' } },
    ),
  ]);
}

async function readAll(paths: string[], { cache = null as string | null, stdin = '' } = {}) {
  const sources = new Sources(paths, cache);
  await sources.read(Readable.from([Buffer.from(stdin)]));
  const { table, reading } = sources.all;
  const verdicts = judgeSessions(table, { which: 'all' }).map(toVerdictWire);
  return {
    verdicts,
    reading,
    tools: Object.fromEntries(verdicts.map(({ session, stats }) => [session.session_id, stats.total_tools])),
  };
}

describe('files of telemetry', () => {
  it('may be rotated and gzipped in the middle of a session', async () => {
    writeFileSync(inFolder('logs.jsonl.1'), line('a', 0, 3) + line('b', 0, 1));
    writeFileSync(inFolder('logs-2026-11-01T09.jsonl.gz'), gzipSync(line('a', 3, 2)));
    writeFileSync(inFolder('logs.jsonl'), line('a', 5, 1));
    writeFileSync(inFolder('notes.txt'), 'nothing');
    expect((await readAll(findFiles(folder))).tools).toEqual({ a: 6, b: 1 });
    expect(findFiles(join(folder, '*.jsonl*'))).toHaveLength(3);
    expect(findFiles(join(folder, 'logs.????l'))).toEqual([inFolder('logs.jsonl')]);
  });

  it('are found below folders by a pattern', () => {
    mkdirSync(inFolder('deep/er'), { recursive: true });
    writeFileSync(inFolder('deep/er/x.jsonl'), '');
    writeFileSync(inFolder('y.jsonl'), '');
    expect(findFiles(join(folder, '**/*.jsonl'))).toEqual([inFolder('deep/er/x.jsonl'), inFolder('y.jsonl')]);
    expect(findFiles(join(folder, 'none-*.jsonl'))).toEqual([]);
  });

  it('may end in a line that is still being written, which counts once it is whole', async () => {
    const whole = line('a', 0, 2) + line('a', 2, 2);
    writeFileSync(inFolder('logs.jsonl'), whole.slice(0, -30));
    expect(await readAll([inFolder('logs.jsonl')])).toMatchObject({
      tools: { a: 2 },
      reading: { unfinishedLines: 1, brokenLines: 0 },
    });
    writeFileSync(inFolder('logs.jsonl'), whole.slice(0, -1));
    expect(await readAll([inFolder('logs.jsonl')])).toMatchObject({
      tools: { a: 4 },
      reading: { unfinishedLines: 0, records: 4 },
    });
  });

  it('may have a broken line in the middle, of which nothing counts', async () => {
    writeFileSync(
      inFolder('logs.jsonl'),
      `${line('a', 0)}${line('a', 1, 5).slice(0, -40)}\n\nnot json\n${line('a', 9)}`,
    );
    expect(await readAll([inFolder('logs.jsonl')])).toMatchObject({
      tools: { a: 2 },
      reading: { brokenLines: 2, records: 2 },
    });
  });

  it('may be zipped and cut short: what is there counts, and the file is reported', async () => {
    const noise = Array.from({ length: 300 }, (_, i) => line('a', i, 1, randomBytes(500).toString('hex')));
    const zipped = gzipSync(noise.join(''));
    writeFileSync(inFolder('cut.jsonl.gz'), zipped.subarray(0, zipped.length - 5_000));
    writeFileSync(inFolder('whole.jsonl'), line('b', 0, 2));
    const { tools, reading } = await readAll(findFiles(folder));
    expect(tools).toEqual({ a: expect.any(Number), b: 2 });
    expect(tools.a).toBeGreaterThan(200);
    expect(reading).toMatchObject({ cutFiles: 1, brokenLines: 0 });
  });

  it('may have a line of 30 MB', async () => {
    writeFileSync(inFolder('logs.jsonl'), line('a', 0, 30, 'x'.repeat(1024 * 1024)) + line('a', 30));
    expect((await readAll([inFolder('logs.jsonl')])).tools).toEqual({ a: 31 });
  });

  it('are new only as far as they grew: a zipped one and a stream have nothing more to say', async () => {
    writeFileSync(inFolder('logs.jsonl'), line('a', 0));
    writeFileSync(inFolder('old.jsonl.gz'), gzipSync(line('a', 1)));
    const sources = new Sources([inFolder('logs.jsonl'), inFolder('old.jsonl.gz'), '-'], null);
    const read = () => sources.read(Readable.from([Buffer.from(line('a', 2))]));
    expect([await read(), await read()]).toEqual([true, false]);
    appendFileSync(inFolder('logs.jsonl'), line('a', 3));
    expect([await read(), await read()]).toEqual([true, false]);
    expect(judgeSessions(sources.all.table, { which: 'all' })[0]?.summary.tools).toBe(4);
  });

  it('may be rotated while they are followed, by another file or by cutting them off', async () => {
    const path = inFolder('logs.jsonl');
    writeFileSync(path, line('a', 0, 3) + line('a', 3, 3));
    const sources = new Sources([path], null);
    const nothing = Readable.from([]);
    const tools = () => judgeSessions(sources.all.table, { which: 'all' })[0]?.summary.tools;
    expect(await sources.read(nothing)).toBe(true);
    renameSync(path, inFolder('logs.jsonl.1'));
    expect(await sources.read(nothing)).toBe(false);
    // As long as the one before: only the inode tells.
    writeFileSync(path, line('a', 6, 3) + line('a', 7, 3));
    expect(await sources.read(nothing)).toBe(true);
    expect(tools()).toBe(10);
    truncateSync(path, 0);
    writeFileSync(path, line('a', 10, 1));
    expect(await sources.read(nothing)).toBe(true);
    expect(tools()).toBe(11);
    appendFileSync(path, line('a', 11, 1));
    writeFileSync(inFolder('new.jsonl'), line('a', 12, 2));
    sources.include(findFiles(folder));
    expect(await sources.read(nothing)).toBe(true);
    expect(tools()).toBe(14);
    expect(await sources.read(nothing)).toBe(false);
  });

  it('that are rotated leave nothing of the old file in the cache of the new one', async () => {
    const path = inFolder('logs.jsonl');
    const big = (session: string) => line(session, 0, 700, 'p'.repeat(400));
    writeFileSync(path, big('old') + big('old'));
    const sources = new Sources([path], inFolder('cache'));
    await sources.read(Readable.from([]));
    renameSync(path, inFolder('logs.jsonl.1'));
    writeFileSync(path, big('new'));
    await sources.read(Readable.from([]));
    expect((await readAll([path], { cache: inFolder('cache') })).tools).toEqual({ new: 700 });
  });

  it('may be links in a folder', async () => {
    mkdirSync(inFolder('logs'));
    writeFileSync(inFolder('elsewhere'), line('a', 0, 2));
    symlinkSync(inFolder('elsewhere'), join(inFolder('logs'), 'linked.jsonl'));
    symlinkSync(inFolder('gone'), join(inFolder('logs'), 'gone.jsonl'));
    expect((await readAll(findFiles(inFolder('logs')))).tools).toEqual({ a: 2 });
  });

  it('come over standard input too', async () => {
    expect((await readAll(['-'], { stdin: line('a', 0, 2) })).tools).toEqual({ a: 2 });
  });
});

describe('lines of bytes', () => {
  it('come out as they went in, however the bytes are cut', () => {
    const text = 'one\n\ntwo\r\nthree\nrest';
    for (let size = 1; size < text.length; size++) {
      const seen: string[] = [];
      const cut = new ByteLines((bytes, start, end) => seen.push(bytes.toString('utf8', start, end)));
      for (let at = 0; at < text.length; at += size) cut.push(Buffer.from(text.slice(at, at + size)));
      expect([...seen, cut.rest().toString(), cut.consumed]).toEqual(['one', 'two\r', 'three', 'rest', 16]);
    }
  });

  it('are passed over and counted above the limit, and the next one is read', () => {
    const seen: number[] = [];
    const cut = new ByteLines((_, start, end) => seen.push(end - start));
    const megabyte = Buffer.alloc(1024 * 1024, 0x61);
    for (let bytes = 0; bytes <= LIMITS.telemetryLineBytesMax; bytes += megabyte.length) cut.push(megabyte);
    cut.push(Buffer.from('tail\nnext\n'));
    expect({ seen, tooLong: cut.tooLong }).toEqual({ seen: [4], tooLong: 1 });
  });
});

describe('the cache of what was read', () => {
  const big = () =>
    Array.from({ length: 20 }, (_, i) => line(`s${i % 7}`, i * 40, 40, 'p'.repeat(400))).join('');
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
    // Damage beyond the head that a reader of the whole file could not miss.
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

  it('holds no payload', async () => {
    writeFileSync(inFolder('logs.jsonl'), big().replaceAll('pppp', 'secret'));
    await judged(inFolder('cache'));
    const [name = ''] = cached();
    expect(readFileSync(join(inFolder('cache'), name)).includes('secret')).toBe(false);
  });

  it.each([
    ['shortened', (path: string) => truncateSync(path, 300_000)],
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
