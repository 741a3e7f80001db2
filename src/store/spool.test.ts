import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Spool } from './spool.ts';

const ROOM = { bytesMax: 10_000 };

describe('the spool', () => {
  it('gives back what went in, in order, and is empty then', async () => {
    const spool = await Spool.open<number>(newFolder(), ROOM);
    expect(spool.isEmpty).toBe(true);
    for (const record of [1, 2, 3]) await spool.append(record);
    expect(await drained(spool)).toEqual([1, 2, 3]);
    expect(spool.isEmpty).toBe(true);
    await spool.append(4);
    expect(await drained(spool)).toEqual([4]);
    await spool.close();
  });

  it('keeps what waits for the next to open the folder, in order and before what comes then', async () => {
    const folder = newFolder();
    const first = await Spool.open<unknown>(folder, ROOM);
    await first.append({ text: 'ü\n🦊 "quoted"' });
    await first.append(2);
    await first.close();
    const second = await Spool.open<unknown>(folder, ROOM);
    await second.append(3);
    expect(await drained(second)).toEqual([{ text: 'ü\n🦊 "quoted"' }, 2, 3]);
    await second.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves out a last record that was cut off, wherever', async () => {
    const whole = await fileOf([1, { some: 'thing' }]);
    const lastLine = whole.indexOf('\n') + 1;
    for (let length = lastLine; length < whole.length; length += 7) {
      const folder = newFolder();
      leave(folder, whole.slice(0, length));
      const spool = await Spool.open<unknown>(folder, ROOM);
      expect(await drained(spool)).toEqual([1]);
      await spool.close();
    }
  });

  it('stops at a record that is not what was written', async () => {
    const folder = newFolder();
    leave(folder, (await fileOf(['first', 'second', 'third'])).replace('second', 'sacond'));
    const spool = await Spool.open<unknown>(folder, ROOM);
    expect(await drained(spool)).toEqual(['first']);
    await spool.close();
  });

  it('refuses what has no room, and takes it when there is room again', async () => {
    const spool = await Spool.open<string>(newFolder(), { bytesMax: 100 });
    await spool.append('a'.repeat(50));
    await expect(spool.append('b'.repeat(50))).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await drained(spool)).toEqual(['a'.repeat(50)]);
    await spool.append('b'.repeat(50));
    expect(await drained(spool)).toEqual(['b'.repeat(50)]);
    await spool.close();
  });

  it('keeps its hands off the file of a process that lives, or of another store of its own', async () => {
    const folder = newFolder();
    const other = await Spool.open<string>(folder, ROOM);
    await other.append('mine');
    writeFileSync(join(folder, `spool-${process.ppid}-0.jsonl`), await fileOf(['theirs']));
    appendFileSync(join(folder, 'unrelated.txt'), 'x');
    const spool = await Spool.open<string>(folder, ROOM);
    expect(await drained(spool)).toEqual([]);
    await spool.close();
    expect(await drained(other)).toEqual(['mine']);
    await other.close();
    expect(readdirSync(folder).sort()).toEqual([`spool-${process.ppid}-0.jsonl`, 'unrelated.txt']);
  });
});

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'renown-spool-'));
}

async function drained<T>(spool: Spool<T>): Promise<T[]> {
  const records: T[] = [];
  for (let next = await spool.peek(); next !== undefined; next = await spool.peek()) {
    records.push(next);
    await spool.shift();
  }
  return records;
}

/** What a spool writes for these records. */
async function fileOf(records: readonly unknown[]): Promise<string> {
  const folder = newFolder();
  const spool = await Spool.open<unknown>(folder, ROOM);
  for (const record of records) await spool.append(record);
  await spool.close();
  return readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8');
}

/** Puts a file into a folder as if a process that is no more had left it. */
function leave(folder: string, text: string): void {
  const { pid } = spawnSync('true');
  writeFileSync(join(folder, 'written'), text);
  renameSync(join(folder, 'written'), join(folder, `spool-${pid}-0.jsonl`));
}
