/** `renown judge` and `renown sessions` where a server runs: it is asked before any file is. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { BIN } from './support/renown.ts';
import { send, startServer, type TestServer } from './support/server.ts';
import { work } from './support/work.ts';

const AT = Date.UTC(2026, 10, 15, 9);
const MINUTE_MS = 60_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  for (const [id, at] of [
    ['older', AT],
    ['newer', AT + 60 * MINUTE_MS],
  ] as const) {
    await send(server.receiver.url ?? '', '/v1/logs', { key: null, body: work(id, { at }) });
  }
});
afterAll(() => server.stop());

describe('where a server runs', () => {
  it('judges the newest session it knows, and says whom it asked', async () => {
    const { stdout, stderr, status } = await ask('judge');
    expect({ status, stderr }).toEqual({ status: 0, stderr: `Asking the server at ${server.url}.\n` });
    expect(parse(stdout)).toMatchObject({ stats: { total_tools: 4 }, session: { session_id: 'newer' } });
  });

  it('judges one that is named, all of them, or a part', async () => {
    const one = await ask('judge', '--session', 'older', '--format', 'json');
    expect(JSON.parse(one.stdout).session.session_id).toBe('older');
    const all = await ask('judge', '--all', '--json');
    expect(
      JSON.parse(all.stdout).map(
        (verdict: { session: { session_id: string } }) => verdict.session.session_id,
      ),
    ).toEqual(['older', 'newer']);
    const part = await ask(
      'judge',
      '--session',
      'older',
      '--to',
      new Date(AT + 3 * MINUTE_MS).toISOString(),
      '--masque',
      'scout',
      '--json',
    );
    expect(JSON.parse(part.stdout)).toMatchObject({ masque: 'scout', stats: { total_tools: 1 } });
  });

  it('lists them', async () => {
    const { stdout } = await ask('sessions');
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).session_id);
    expect(ids).toEqual(['older', 'newer']);
  });

  it('goes on to files for a session that the server does not know', async () => {
    const { stderr, status } = await ask('judge', '--session', 'nobody');
    expect(status).toBe(3);
    expect(stderr).toContain(
      `There is no session "nobody" in the server at ${server.url} or services/collector/data/logs.jsonl`,
    );
  });
});

/** As a process of its own, while the server goes on in this one. */
function ask(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'renown-home-'));
  const env = { ...process.env, RENOWN_DATA: server.data, HOME: folder };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [BIN, ...args], { cwd: folder, env }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
