import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { reputationOf } from '../../src/core/reputation.ts';
import { createRandom } from '../../src/core/stats/random.ts';
import { toCounted } from '../../src/store/evaluation-window.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { StoredEvaluation } from '../../src/store/store.ts';

const WRITER = fileURLToPath(new URL('./crash-writer.js', import.meta.url));
const ROUNDS = 50;

it('a ledger killed in mid-write opens again with all it acknowledged, once, and windows to match', async () => {
  const url = `duckdb:${join(mkdtempSync(join(tmpdir(), 'renown-')), 'ledger.duckdb')}`;
  const random = createRandom(20_261_115);
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const id of await writeUntilKilled(url, round, random() * 250)) acknowledged.add(id);
  }
  const stored = await readAll(url);
  const ids = new Set(stored.map(({ evaluationId }) => evaluationId));
  expect(acknowledged.size).toBeGreaterThan(ROUNDS);
  expect(stored.length).toBe(ids.size);
  expect([...acknowledged].filter((id) => !ids.has(id)).slice(0, 5)).toEqual([]);

  const store = await openStore(url);
  for (const agentId of ['agent-0', 'agent-1', 'agent-2']) {
    const own = stored.filter((one) => one.agentId === agentId).map(toCounted);
    expect(await store.evaluations.reputation('acme', agentId)).toEqual(reputationOf(own));
  }
  await store.close();
}, 300_000);

/** Lets a writer run for so long, kills it without warning, and returns what it had been told is safe. */
function writeUntilKilled(url: string, round: number, ms: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const writer = spawn(process.execPath, [WRITER, url, String(round)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    writer.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output === '') setTimeout(() => writer.kill('SIGKILL'), ms);
      output += text;
    });
    writer.on('error', reject);
    writer.on('close', (code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`the writer ended by itself, with ${code}`));
      // A last line that was cut off was not read to its end by anyone.
      resolve(
        output
          .split('\n')
          .slice(1, -1)
          .flatMap((line) => line.split(' ')),
      );
    });
  });
}

async function readAll(url: string): Promise<StoredEvaluation[]> {
  const store = await openStore(url);
  const rows: StoredEvaluation[] = [];
  for await (const item of store.upkeep.export()) if (item.kind === 'evaluation') rows.push(item.row);
  await store.close();
  return rows;
}
