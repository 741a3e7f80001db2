import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Spool } from '../../src/store/spool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'renown-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (bytesMax = 1e6) => Spool.open<{ number: number }>(folder, { bytesMax });
const numbers = async (spool: Spool<{ number: number }>) => {
  const all: number[] = [];
  for await (const { number } of spool.records()) all.push(number);
  return all;
};

describe('the spool', () => {
  it('gives records back in their order, also to the next that opens it', async () => {
    const spool = await open();
    for (const number of [1, 2, 3]) await spool.append({ number });
    await spool.shift();
    expect(await spool.peek()).toEqual({ number: 2 });
    await spool.close();
    const next = await open();
    // What was handled may come again: only a file that is empty is let go.
    expect(await numbers(next)).toEqual([1, 2, 3]);
    await next.shift(3);
    expect(next.isEmpty).toBe(true);
    await next.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses what does not fit, and takes it when there is room again', async () => {
    const spool = await open(60);
    await spool.append({ number: 1 });
    await expect(spool.append({ number: 2 })).resolves.toBeUndefined();
    await expect(spool.append({ number: 3 })).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await numbers(spool)).toEqual([1, 2]);
    await spool.shift(2);
    await spool.append({ number: 3 });
    expect(await numbers(spool)).toEqual([3]);
    await spool.close();
  });

  it('leaves out a record that was cut off, and what cannot be what was written', async () => {
    const spool = await open();
    await spool.append({ number: 1 });
    await spool.close();
    const [name = ''] = readdirSync(folder);
    appendFileSync(join(folder, name), '0123456789abcdef {"number":2}\n0123456789abcd');
    const next = await open();
    expect(await numbers(next)).toEqual([1]);
    await next.close();
  });

  it('takes no half record for a whole one when the disk is full', async () => {
    const writer = fileURLToPath(new URL('./spool-writer.js', import.meta.url));
    // Files of at most 8 KiB: the third record finds room for a part of it. Without the trap the signal would kill it.
    const command = `trap '' XFSZ; ulimit -f 8; exec "$0" --import tsx "$1" "$2"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command, process.execPath, writer, folder], {
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout || stderr)).toEqual({ written: 2, code: 'store_unavailable' });
    const next = await open();
    expect(await numbers(next)).toEqual([0, 1]);
    await next.append({ number: 7 });
    expect(await numbers(next)).toEqual([0, 1, 7]);
    await next.close();
  });
});
