import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../src/store/open-store.ts';
import { audited, evaluations, reputationEvent, sessionScore, signalReport } from './store/rows.ts';
import { renown } from './support/renown.ts';

const folder = mkdtempSync(join(tmpdir(), 'renown-'));
const store = `duckdb:${join(folder, 'ledger.duckdb')}`;
const file = join(folder, 'ledger.jsonl');

beforeAll(async () => {
  const ledger = await openStore(store);
  await ledger.orgs.create({ orgId: 'acme', name: 'Acme', createdAt: 1 });
  await ledger.keys.create({
    keyId: 'k',
    orgId: 'acme',
    kind: 'sk',
    hash: 'h',
    hint: 'x',
    createdAt: 1,
    revokedAt: null,
    lastUsedAt: null,
  });
  await ledger.evaluations.append('acme', evaluations('e', 520, { tags: ['t'], tool: 'read' }));
  await ledger.evaluations.void('acme', 'e-3', { audit: audited(0), at: 5, reason: 'a test' });
  await ledger.identities.append('acme', [reputationEvent('r1', { attributes: { some_key: 'v' } })]);
  await ledger.signals.append('acme', [
    signalReport('t1', { signals: { loop_detection: 0.5 }, tags: ['t'] }),
  ]);
  await ledger.sessionScores.append('acme', [sessionScore('s1', { tags: ['t'] })]);
  await ledger.documents.put('acme', { kind: 'settings', id: 'org', body: { some_key: [1] }, at: 2 });
  await ledger.close();
});

describe('renown export and import', () => {
  it('carry a ledger over whole, once', () => {
    expect(renown(['export', file, '--store', store])).toEqual({
      exit: 0,
      stdout: `${JSON.stringify({ file, rows: 528 })}\n`,
      stderr: '',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = `duckdb:${join(folder, 'copy.duckdb')}`;
    expect(JSON.parse(renown(['import', file, '--store', copy]).stdout)).toEqual({
      restored: 528,
      present: 0,
    });
    expect(
      JSON.parse(renown(['import', '-', '--store', copy], { input: readFileSync(file) }).stdout),
    ).toEqual({ restored: 0, present: 528 });
    expect(renown(['export', '--store', copy]).stdout).toBe(readFileSync(file, 'utf8'));
  });

  it('write names as the wire has them, and touch nothing inside of values', () => {
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find(({ kind }) => kind === 'key')).toMatchObject({ key_kind: 'sk', org_id: 'acme' });
    expect(lines.find(({ kind }) => kind === 'evaluation')).toMatchObject({
      evaluation_id: 'e-0',
      gates: [{ latency_ms: 0.02 }],
    });
    expect(lines.find(({ kind }) => kind === 'reputation_event')).toMatchObject({
      attributes: { some_key: 'v' },
    });
  });

  it('carry a ledger over as Parquet that others can read too', async () => {
    const parquet = join(folder, 'parquet');
    expect(JSON.parse(renown(['export', parquet, '--parquet', '--store', store]).stdout)).toEqual({
      folder: parquet,
      rows: 528,
    });
    expect(statSync(parquet).mode & 0o777).toBe(0o700);
    expect(readdirSync(parquet).sort()).toEqual(
      [
        'agent',
        'audit',
        'document',
        'evaluation',
        'key',
        'org',
        'reputation_event',
        'session_score',
        'signal_report',
      ].map((kind) => `${kind}.parquet`),
    );
    const copy = `duckdb:${join(folder, 'from-parquet.duckdb')}`;
    expect(JSON.parse(renown(['import', parquet, '--store', copy]).stdout)).toEqual({
      restored: 528,
      present: 0,
    });
    expect(renown(['export', '--store', copy]).stdout).toBe(readFileSync(file, 'utf8'));
    const rows = await (await (await DuckDBInstance.create()).connect()).runAndReadAll(
      `SELECT count(*)::INTEGER AS n, sum(total_latency_ms) AS ms FROM '${parquet}/evaluation.parquet' WHERE passed`,
    );
    expect(rows.getRowObjects()).toEqual([{ n: 520, ms: 260 }]);
    expect(renown(['export', parquet, '--parquet', '--store', store])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('exists already'),
    });
    expect(renown(['export', '--parquet', '--store', store])).toMatchObject({ exit: 2 });
    writeFileSync(join(parquet, 'org.parquet'), 'no parquet');
    expect(renown(['import', parquet, '--store', store])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('org.parquet could not be read as Parquet'),
    });
  });

  it('find the ledger by RENOWN_DATA', () => {
    expect(renown(['export'], { env: { RENOWN_DATA: join(folder, 'ledger.duckdb') } }).stdout).toBe(
      readFileSync(file, 'utf8'),
    );
  });

  it('have a quicker sister for a file that is to be opened in place of the first', () => {
    const copy = join(folder, 'backup.duckdb');
    expect(renown(['backup', copy, '--store', store]).exit).toBe(0);
    expect(renown(['export', '--store', `duckdb:${copy}`]).stdout).toBe(readFileSync(file, 'utf8'));
    expect(renown(['backup', copy, '--store', store])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('exists already'),
    });
  });

  it('never overwrite a file, and say what is wrong with one', () => {
    expect(renown(['export', file, '--store', store])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('it exists already'),
    });
    expect(renown(['import', '/does/not/exist', '--store', store])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('ENOENT'),
    });
    expect(renown(['import', '--store', store])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('Say which file'),
    });
    const bad = join(folder, 'bad.jsonl');
    writeFileSync(bad, '{"kind":"org","org_id":"x","name":"X","created_at":1}\n{"kind":"nothing"}\n');
    expect(renown(['import', bad, '--store', store])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('Line 2'),
    });
    writeFileSync(bad, 'no json\n');
    expect(renown(['import', bad, '--store', store])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('Line 1 is not JSON'),
    });
  });
});
