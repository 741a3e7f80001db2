/** What a node acknowledges while ClickHouse is away survives its own death, and reaches the ledger once. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { reputationOf } from '../../src/core/reputation.ts';
import { createRandom } from '../../src/core/stats/random.ts';
import { toCounted } from '../../src/store/evaluation-window.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { StoredEvaluation } from '../../src/store/store.ts';
import { type Ledger, Ledgers } from '../support/clickhouse/ledgers.ts';
import { CLICKHOUSE } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';
import { SwitchableProxy } from '../support/switchable-proxy.ts';
import { audited, evaluation, evaluations, reputationEvent } from './rows.ts';

// A statement takes seconds where the engine is emulated.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 });

const WRITER = fileURLToPath(new URL('./crash-writer.js', import.meta.url));
const ROUNDS = 5;

describeWith(CLICKHOUSE, 'a node whose ClickHouse goes away', () => {
  let ledgers: Ledgers;
  let proxy: SwitchableProxy;
  beforeAll(async () => {
    ledgers = await Ledgers.start();
    proxy = new SwitchableProxy(ledgers.url);
    await proxy.start();
  });
  afterAll(async () => {
    await proxy?.stop();
    await ledgers?.stop();
  });

  const throughProxy = ({ database }: Ledger) =>
    `clickhouse://127.0.0.1:${proxy.port}/${database}?timeout_ms=600000`;

  it('takes facts, answers from what it knows, refuses the rest, and delivers when it is back', async () => {
    const ledger = await ledgers.take();
    const store = await openStore(throughProxy(ledger), { spoolDir: ledger.spoolDir });
    await store.evaluations.append('acme', evaluations('before', 3));
    await proxy.stop();
    const away = await store.evaluations.append('acme', [
      evaluation('away', { passed: false }),
      evaluation('away'),
    ]);
    expect(away).toMatchObject({ accepted: 1, duplicates: ['away'] });
    expect(away.reputations.get('reviewer')).toMatchObject({ evalCount: 4, passed: 3, streak: 0 });
    expect(await store.evaluations.append('acme', [evaluation('away')])).toMatchObject({ accepted: 0 });
    expect(await store.identities.append('acme', [reputationEvent(1)])).toMatchObject({ accepted: 1 });
    await store.audit.append('acme', audited(1));
    await expect(store.evaluations.reputation('acme', 'reviewer')).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await expect(store.agents.put('acme', 'x', { at: 1 })).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await store.close();

    await proxy.start();
    const again = await openStore(throughProxy(ledger), { spoolDir: ledger.spoolDir });
    const listed = await again.evaluations.list('acme', {}, { limit: 9 });
    expect(listed.items.map(({ evaluationId }) => evaluationId)).toEqual([
      'away',
      'before-2',
      'before-1',
      'before-0',
    ]);
    expect(
      (await again.identities.list('acme', reputationEvent(1).identityId, { limit: 9 })).items,
    ).toHaveLength(1);
    expect((await again.audit.list('acme', { limit: 9 })).items).toEqual([audited(1)]);
    await again.close();
    await ledgers.letGo(ledger);
  });

  it('loses nothing that it acknowledged, and doubles nothing, wherever it is killed', async () => {
    const ledger = await ledgers.take();
    const random = createRandom(20_261_115);
    const acknowledged = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      await proxy.start();
      for (const id of await writeUntilKilled(ledger, round, random)) acknowledged.add(id);
    }
    await proxy.start();
    const store = await openStore(throughProxy(ledger), { spoolDir: ledger.spoolDir });
    const stored: StoredEvaluation[] = [];
    for await (const item of store.upkeep.export()) if (item.kind === 'evaluation') stored.push(item.row);
    const ids = new Set(stored.map(({ evaluationId }) => evaluationId));
    expect(acknowledged.size).toBeGreaterThan(ROUNDS);
    expect([...acknowledged].filter((id) => !ids.has(id)).slice(0, 5)).toEqual([]);
    expect(stored.length).toBe(ids.size);
    // Not by the export's own care: no evaluation stands at two places.
    const answer = await ledgers.client.query({
      query: `SELECT count() AS places FROM (SELECT DISTINCT evaluation_id, received_at, place FROM ${ledger.database}.evaluations)`,
      format: 'JSONEachRow',
    });
    expect(Number((await answer.json<{ places: number }>())[0]?.places)).toBe(ids.size);
    for (const agentId of ['agent-0', 'agent-1', 'agent-2']) {
      const own = stored.filter((one) => one.agentId === agentId).map(toCounted);
      expect(await store.evaluations.reputation('acme', agentId)).toEqual(reputationOf(own));
    }
    await store.close();
  });

  /** Lets a writer run while the server goes away and perhaps comes back, and kills it without warning. */
  async function writeUntilKilled(ledger: Ledger, round: number, random: () => number): Promise<string[]> {
    const writer = spawn(process.execPath, [WRITER, throughProxy(ledger), String(round), ledger.spoolDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const ready = new Promise<void>((resolve) => {
      writer.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        resolve();
      });
    });
    const ended = new Promise<void>((resolve, reject) => {
      writer.on('error', reject);
      writer.on('close', (code, signal) =>
        signal === 'SIGKILL' ? resolve() : reject(new Error(`the writer ended by itself, with ${code}`)),
      );
    });
    await Promise.race([ready, ended]);
    await pause(random() * 500);
    await proxy.stop();
    await pause(random() * 1000);
    if (round % 2 === 1) {
      await proxy.start();
      await pause(random() * 3000);
    }
    writer.kill('SIGKILL');
    await ended;
    // A last line that was cut off was not read to its end by anyone.
    return output
      .split('\n')
      .slice(1, -1)
      .flatMap((line) => line.split(' '));
  }
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
