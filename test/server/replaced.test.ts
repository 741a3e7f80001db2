import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { keyIn, killServers, startServerProcess } from '../support/server-process.ts';

afterEach(killServers);

it('a server goes on when the program is replaced under it, also with gates that it had not needed yet', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const copy = mkdtempSync(join(tmpdir(), 'renown-installed-'));
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const args = ['--data', join(copy, 'ledger.duckdb'), '--otlp-port', '0'];
  const { url, said } = await startServerProcess(args, {}, join(copy, 'bin/renown.js'));
  rmSync(join(copy, 'dist'), { recursive: true });
  const call = (path: string, body: object, method: string) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${keyIn(said, 'sk')}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const gates = [{ pattern: { name: 'p', deny: ['fo+'] } }, { schema: { schema: { type: 'string' } } }];
  expect((await call('/v1/gates', { gates }, 'PUT')).status).toBe(200);
  const judged = await call('/v1/evaluate', { agent_id: 'a', output: 'foo' }, 'POST');
  expect(await judged.json()).toMatchObject({ passed: false });
  expect((await fetch(`${url}/`)).status).toBe(200);
});
