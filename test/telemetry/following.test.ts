/** Sources that are read again and again while somebody writes them, rotates them or closes them. */
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findFiles } from '../../src/telemetry/files/find-files.ts';
import { Sources } from '../../src/telemetry/files/sources.ts';
import { line, readAll, toolsIn, useFolder } from '../support/telemetry-files.ts';

const UNCACHED = { cacheFolder: null, isFollowed: false };
const FOLLOWED = { cacheFolder: null, isFollowed: true };
const inFolder = useFolder();

describe('sources that are read again', () => {
  it('are new only as far as they grew: a zipped one and a stream have nothing more to say', async () => {
    writeFileSync(inFolder('logs.jsonl'), line('a', 0));
    writeFileSync(inFolder('old.jsonl.gz'), gzipSync(line('a', 1)));
    const sources = new Sources([inFolder('logs.jsonl'), inFolder('old.jsonl.gz'), '-'], UNCACHED);
    const read = () => sources.read(Readable.from([Buffer.from(line('a', 2))]));
    expect([await read(), await read()]).toEqual([true, false]);
    appendFileSync(inFolder('logs.jsonl'), line('a', 3));
    expect([await read(), await read()]).toEqual([true, false]);
    expect(toolsIn(sources)).toEqual({ a: 4 });
  });

  it('may be rotated while they are followed, by another file or by cutting them off', async () => {
    const path = inFolder('logs.jsonl');
    writeFileSync(path, line('a', 0, 3) + line('a', 3, 3));
    const sources = new Sources([path], FOLLOWED);
    const nothing = Readable.from([]);
    const tools = () => toolsIn(sources).a;
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
    sources.include(findFiles(inFolder('')));
    expect(await sources.read(nothing)).toBe(true);
    expect(tools()).toBe(14);
    expect(await sources.read(nothing)).toBe(false);
  });

  it('that are rotated leave nothing of the old file in the cache of the new one', async () => {
    const path = inFolder('logs.jsonl');
    const big = (session: string) => line(session, 0, 700, 'p'.repeat(400));
    writeFileSync(path, big('old') + big('old'));
    const sources = new Sources([path], { cacheFolder: inFolder('cache'), isFollowed: true });
    await sources.read(Readable.from([]));
    renameSync(path, inFolder('logs.jsonl.1'));
    writeFileSync(path, big('new'));
    await sources.read(Readable.from([]));
    expect((await readAll([path], { cache: inFolder('cache') })).tools).toEqual({ new: 700 });
  });

  it('lose nothing that was written just before they were rotated', async () => {
    const path = inFolder('logs.jsonl');
    writeFileSync(path, line('one', 0, 3));
    const sources = new Sources([path], FOLLOWED);
    await sources.read(Readable.from([]));
    appendFileSync(path, line('tail', 0, 4));
    renameSync(path, inFolder('logs.jsonl.1'));
    writeFileSync(path, line('new', 0, 2));
    expect(await sources.read(Readable.from([]))).toBe(true);
    expect(toolsIn(sources)).toEqual({ one: 3, tail: 4, new: 2 });
  });

  it('are read from the beginning when they were written anew in place, however long they are', async () => {
    const path = inFolder('logs.jsonl');
    writeFileSync(path, line('one', 0, 3));
    const sources = new Sources([path], FOLLOWED);
    await sources.read(Readable.from([]));
    writeFileSync(path, line('two', 0, 10) + line('two', 10, 10));
    await sources.read(Readable.from([]));
    expect(toolsIn(sources)).toEqual({ one: 3, two: 20 });
  });

  it('are read whole again when they are zipped and grew, and counted beside what they replaced', async () => {
    const path = inFolder('logs.jsonl.gz');
    const zipped = gzipSync(line('a', 0, 3) + line('a', 3, 3));
    writeFileSync(path, zipped.subarray(0, -20));
    const sources = new Sources([path], FOLLOWED);
    await sources.read(Readable.from([]));
    writeFileSync(path, zipped);
    await sources.read(Readable.from([]));
    expect([toolsIn(sources), sources.all.reading.records]).toEqual([{ a: 6 }, 6]);
    renameSync(path, inFolder('old.gz'));
    writeFileSync(path, gzipSync(line('b', 0, 2)));
    await sources.read(Readable.from([]));
    expect([toolsIn(sources), sources.all.reading.records]).toEqual([{ a: 6, b: 2 }, 8]);
  });

  it('may be a stream, which is heard while it goes on, and has an end', async () => {
    const stdin = new PassThrough();
    const sources = new Sources(['-'], FOLLOWED);
    stdin.write(line('a', 0, 2));
    expect([await sources.read(stdin), toolsIn(sources), sources.isOver]).toEqual([true, { a: 2 }, false]);
    stdin.end(line('a', 2, 1).trimEnd());
    expect([await sources.read(stdin), toolsIn(sources), sources.isOver]).toEqual([true, { a: 3 }, true]);
    expect(await sources.read(stdin)).toBe(false);
  });

  it('are never over while there is a file among them', async () => {
    writeFileSync(inFolder('logs.jsonl'), line('a', 0));
    const sources = new Sources([inFolder('logs.jsonl'), '-'], FOLLOWED);
    await sources.read(Readable.from([]));
    expect(sources.isOver).toBe(false);
  });
});
