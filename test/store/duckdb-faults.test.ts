import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { describeWith } from '../support/describe-with.ts';
import { evaluation, evaluations } from './rows.ts';

const WRITER = fileURLToPath(new URL('./crash-writer.js', import.meta.url));

function newPath(): string {
  return join(mkdtempSync(join(tmpdir(), 'renown-')), 'ledger.duckdb');
}

describe('a file that cannot be opened says why', () => {
  it('because another process holds it, and which', async () => {
    const path = newPath();
    const holder = spawn(process.execPath, [WRITER, `duckdb:${path}`, '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    await expect(openStore(`duckdb:${path}`)).rejects.toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining(`PID ${holder.pid}`),
    });
    holder.kill('SIGKILL');
  });

  it('because a newer version wrote it, and leaves it alone', async () => {
    const path = newPath();
    await (await openStore(`duckdb:${path}`)).close();
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(`INSERT INTO schema_migrations VALUES (99, 'from the future')`);
    connection.closeSync();
    instance.closeSync();
    await expect(openStore(`duckdb:${path}`)).rejects.toMatchObject({
      code: 'store_too_new',
      message: expect.stringContaining('has schema 99'),
    });
  });

  it('because it is no ledger, or no file', async () => {
    const path = newPath();
    writeFileSync(path, 'not a database at all, but long enough to look at'.repeat(100));
    await expect(openStore(`duckdb:${path}`)).rejects.toMatchObject({ code: 'store_too_new' });
    await expect(openStore('duckdb:/does/not/exist/ledger.duckdb')).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await expect(openStore('sqlite:ledger')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

it('a place that the ledger does not reach, as after restoring an older copy, goes on from its end', async () => {
  const store = await openStore(`duckdb:${newPath()}`);
  await store.evaluations.append('acme', evaluations('e', 3));
  const { cursor } = await store.evaluations.since('acme', '99999999', 10);
  const verdicts = await store.evaluations.verdictsSince('acme', '99999999', 10);
  await store.evaluations.append('acme', [evaluation('next')]);
  const { items } = await store.evaluations.since('acme', cursor, 10);
  expect(items.map((item) => item.evaluation.evaluationId)).toEqual(['next']);
  expect((await store.evaluations.verdictsSince('acme', verdicts.cursor, 10)).items).toHaveLength(1);
  await store.close();
});

describe('a backup', () => {
  it('taken while others write opens as a ledger with all that was acknowledged before it', async () => {
    const path = newPath();
    const store = await openStore(`duckdb:${path}`);
    await store.evaluations.append('acme', evaluations('before', 700));
    let writing = true;
    const writer = (async () => {
      for (let i = 0; writing; i++) await store.evaluations.append('acme', evaluations(`during${i}`, 20));
    })();
    const copy = `${path}.copy's`;
    await store.upkeep.backup?.(copy);
    writing = false;
    await writer;
    await expect(store.upkeep.backup?.(copy)).rejects.toMatchObject({ code: 'unwritable_output' });
    await store.close();

    const restored = await openStore(`duckdb:${copy}`);
    const { evalCount, lifetimeEvaluations } = await restored.evaluations.reputation('acme', 'reviewer');
    expect(evalCount).toBe(500);
    expect(lifetimeEvaluations).toBeGreaterThanOrEqual(700);
    expect(await restored.evaluations.append('acme', evaluations('before', 5))).toMatchObject({
      accepted: 0,
    });
    expect(await restored.evaluations.append('acme', evaluations('after', 5))).toMatchObject({ accepted: 5 });
    await restored.close();
  });
});

describe('a closed ledger', () => {
  it('has kept what was under way, and refuses what comes after', async () => {
    const path = newPath();
    const store = await openStore(`duckdb:${path}`);
    const underWay = Promise.all(
      [1, 2, 3].map((i) => store.evaluations.append('acme', evaluations(`e${i}`, 50))),
    );
    await Promise.all([underWay, store.close()]);
    await expect(store.evaluations.append('acme', [evaluation('late')])).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    const again = await openStore(`duckdb:${path}`);
    expect((await again.evaluations.reputation('acme', 'reviewer')).lifetimeEvaluations).toBe(150);
    await again.close();
  });
});

const TMPFS = {
  name: 'a mountable tmpfs',
  probe: ['sh', '-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=1m tmpfs "$d" && umount "$d"'],
  install: 'run as root where mount is allowed',
} as const;

describeWith(TMPFS, 'on a full disk', () => {
  it('refuses a write with a clear error, keeps what it had, and takes the write again once there is room', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'renown-full-'));
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder]);
    try {
      const store = await openStore(`duckdb:${join(folder, 'ledger.duckdb')}`);
      let kept = 0;
      const fill = async () => {
        for (;;) {
          await store.evaluations.append('acme', evaluations(`e${kept}`, 1_000, { tags: ['x'.repeat(500)] }));
          kept++;
        }
      };
      await expect(fill()).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining('no room'),
      });
      expect(kept).toBeGreaterThan(0);
      expect((await store.evaluations.reputation('acme', 'reviewer')).lifetimeEvaluations).toBe(kept * 1_000);
      spawnSync('mount', ['-o', 'remount,size=200m', folder]);
      const again = await store.evaluations.append('acme', evaluations(`e${kept}`, 1_000));
      expect(again).toMatchObject({ accepted: 1_000, duplicates: [] });
      await store.close();
      const reopened = await openStore(`duckdb:${join(folder, 'ledger.duckdb')}`);
      expect((await reopened.evaluations.reputation('acme', 'reviewer')).lifetimeEvaluations).toBe(
        (kept + 1) * 1_000,
      );
      await reopened.close();
    } finally {
      spawnSync('umount', [folder]);
    }
  });
});
