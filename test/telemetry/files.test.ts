import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { ByteLines } from '../../src/telemetry/files/byte-lines.ts';
import { findFiles } from '../../src/telemetry/files/find-files.ts';
import { line, readAll, useFolder } from '../support/telemetry-files.ts';

const inFolder = useFolder();

describe('files of telemetry', () => {
  it('may be rotated and gzipped in the middle of a session', async () => {
    writeFileSync(inFolder('logs.jsonl.1'), line('a', 0, 3) + line('b', 0, 1));
    writeFileSync(inFolder('logs-2026-11-01T09.jsonl.gz'), gzipSync(line('a', 3, 2)));
    writeFileSync(inFolder('logs.jsonl'), line('a', 5, 1));
    writeFileSync(inFolder('notes.txt'), 'nothing');
    expect((await readAll(findFiles(inFolder('')))).tools).toEqual({ a: 6, b: 1 });
    expect(findFiles(inFolder('*.jsonl*'))).toHaveLength(3);
    expect(findFiles(inFolder('logs.????l'))).toEqual([inFolder('logs.jsonl')]);
  });

  it('are found below folders by a pattern', () => {
    mkdirSync(inFolder('deep/er'), { recursive: true });
    writeFileSync(inFolder('deep/er/x.jsonl'), '');
    writeFileSync(inFolder('y.jsonl'), '');
    expect(findFiles(inFolder('**/*.jsonl'))).toEqual([inFolder('deep/er/x.jsonl'), inFolder('y.jsonl')]);
    expect(findFiles(inFolder('none-*.jsonl'))).toEqual([]);
  });

  it.each([
    ['y*.jsonl', ['y.jsonl']],
    ['./deep/*.jsonl', ['deep/x.jsonl']],
    ['deep//x.json?', ['deep/x.jsonl']],
    ['deep/**', ['deep/x.jsonl']],
    ['*.jsonl', ['xy.jsonl', 'y.jsonl']],
    ['../*/y.jsonl', ['y.jsonl']],
  ])('are found by %s from where one stands', (pattern, found) => {
    mkdirSync(inFolder('deep'));
    for (const name of ['deep/x.jsonl', 'y.jsonl', 'xy.jsonl']) writeFileSync(inFolder(name), '');
    const before = process.cwd();
    process.chdir(inFolder(''));
    try {
      expect(findFiles(pattern).map((path) => resolve(path))).toEqual(found.map(inFolder));
    } finally {
      process.chdir(before);
    }
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
    const { tools, reading } = await readAll(findFiles(inFolder('')));
    expect(tools).toEqual({ a: expect.any(Number), b: 2 });
    expect(tools.a).toBeGreaterThan(200);
    expect(reading).toMatchObject({ cutFiles: 1, brokenLines: 0 });
  });

  it('may have a line of 30 MB', async () => {
    writeFileSync(inFolder('logs.jsonl'), line('a', 0, 30, 'x'.repeat(1024 * 1024)) + line('a', 30));
    expect((await readAll([inFolder('logs.jsonl')])).tools).toEqual({ a: 31 });
  });

  it('may be links in a folder', async () => {
    mkdirSync(inFolder('logs'));
    writeFileSync(inFolder('elsewhere'), line('a', 0, 2));
    symlinkSync(inFolder('elsewhere'), join(inFolder('logs'), 'linked.jsonl'));
    symlinkSync(inFolder('gone'), join(inFolder('logs'), 'gone.jsonl'));
    expect((await readAll(findFiles(inFolder('logs')))).tools).toEqual({ a: 2 });
  });

  it('come over standard input too, zipped or not', async () => {
    const text = line('a', 0, 2);
    expect((await readAll(['-'], { stdin: text })).tools).toEqual({ a: 2 });
    expect((await readAll(['-'], { stdin: gzipSync(text) })).tools).toEqual({ a: 2 });
    const cut = await readAll(['-'], { stdin: gzipSync(text).subarray(0, -5) });
    expect(cut.reading.cutFiles).toBe(1);
  });

  it('may be pipes', async () => {
    const path = inFolder('pipe');
    execFileSync('mkfifo', [path]);
    const writer = spawn('sh', ['-c', `cat > '${path}'`], { stdio: ['pipe', 'ignore', 'inherit'] });
    writer.stdin.end(line('a', 0, 3));
    expect((await readAll([path])).tools).toEqual({ a: 3 });
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
    // It may still grow: nothing of it counts before its end.
    expect([cut.tooLong, cut.consumed, cut.isRestTooLong, cut.rest().length]).toEqual([0, 0, true, 0]);
    cut.push(Buffer.from('tail\nnext\n'));
    expect([cut.tooLong, cut.isRestTooLong]).toEqual([1, false]);
    expect(cut.consumed).toBe(LIMITS.telemetryLineBytesMax + megabyte.length + 'tail\nnext\n'.length);
    expect(seen).toEqual([4]);
  });
});
