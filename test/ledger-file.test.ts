import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  await ledger.identities.append('acme', [reputationEvent(1, { attributes: { some_key: 'v' } })]);
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
        'session_event',
        'session_head',
        'session_score',
        'session_verdict',
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

  it('take an existing reputation_events table, from Parquet or JSON Lines, once', async () => {
    const target = `duckdb:${join(folder, 'table.duckdb')}`;
    renown(['orgs', 'create', 'acme', '--store', target]);
    const row = (i: number, rest: object = {}) => ({
      event_id: `b6f0c7f4-3b0e-4a53-9d4e-00000000000${i}`,
      timestamp: '2026-05-28 20:26:40.123',
      identity_id: 'B6F0C7F4-3B0E-4A53-9D4E-1D1F6C1A0001',
      category: 'economic',
      event_type: 'payment_completed',
      score_delta: 0.5,
      confidence: 0.25,
      reference_type: 'transaction',
      reference_id: 't-1',
      attributes: { currency: 'EUR' },
      ...rest,
    });
    const jsonl = join(folder, 'reputation_events.jsonl');
    writeFileSync(
      jsonl,
      [row(1), row(2, { timestamp: 1_780_000_000_123 })].map((one) => JSON.stringify(one)).join('\n'),
    );
    const take = (path: string, org = 'acme') =>
      renown(['import', path, '--reputation-events', '--org', org, '--store', target]);
    expect(JSON.parse(take(jsonl).stdout)).toEqual({ restored: 2, present: 0 });
    const parquet = join(folder, 'reputation_events.parquet');
    const duckdb = await (await DuckDBInstance.create()).connect();
    await duckdb.run(
      `COPY (SELECT event_id::UUID AS event_id, timestamp::TIMESTAMP AS timestamp, identity_id::UUID AS identity_id,
         category, event_type, score_delta::FLOAT AS score_delta, confidence::FLOAT AS confidence, reference_type,
         reference_id, MAP {'currency': 'EUR'} AS attributes
       FROM read_json('${jsonl}', columns = {event_id: 'VARCHAR', timestamp: 'VARCHAR', identity_id: 'VARCHAR', category: 'VARCHAR',
         event_type: 'VARCHAR', score_delta: 'DOUBLE', confidence: 'DOUBLE', reference_type: 'VARCHAR', reference_id: 'VARCHAR'})
       LIMIT 1) TO '${parquet}'`,
    );
    expect(JSON.parse(take(parquet).stdout)).toEqual({ restored: 0, present: 1 });
    const events = renown(['export', '--store', target])
      .stdout.split('\n')
      .filter((line) => line.includes('"kind":"reputation_event"'))
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject(
      [1, 2].map((i) => ({
        event_id: row(i).event_id,
        identity_id: row(i).identity_id.toLowerCase(),
        timestamp: 1_780_000_000_123,
        attributes: { currency: 'EUR' },
        revision: 0,
      })),
    );
    expect(take(jsonl, 'nobody')).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('There is no org "nobody"; there is acme.'),
    });
    writeFileSync(jsonl, JSON.stringify(row(3, { score_delta: 5_000 })));
    expect(take(jsonl)).toMatchObject({ exit: 3, stderr: expect.stringContaining('Row 1') });
    expect(renown(['import', jsonl, '--reputation-events', '--store', target])).toMatchObject({ exit: 2 });
  });

  it('take a table that an older ClickHouse exported, ids as bare bytes', () => {
    const target = `duckdb:${join(folder, 'from-clickhouse.duckdb')}`;
    renown(['orgs', 'create', 'acme', '--store', target]);
    const table = fileURLToPath(new URL('./fixtures/clickhouse/reputation_events.parquet', import.meta.url));
    const { stdout, stderr } = renown([
      'import',
      table,
      '--reputation-events',
      '--org',
      'acme',
      '--store',
      target,
    ]);
    expect({ stdout: JSON.parse(stdout || 'null'), stderr }).toMatchObject({
      stdout: { restored: 3, present: 0 },
    });
    const events = renown(['export', '--store', target])
      .stdout.split('\n')
      .filter((line) => line.includes('"kind":"reputation_event"'))
      .map((line) => JSON.parse(line));
    expect(events.map(({ event_id }) => event_id).sort()).toEqual(
      [0, 1, 2].map((i) => `0190e3a4-7b1c-7000-8000-00000000000${i}`),
    );
    expect(events[0]).toMatchObject({
      identity_id: 'b6f0c7f4-3b0e-4a53-9d4e-000000000001',
      reference_id: 'sixteen bytes...',
      attributes: { tool: 'Edit' },
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
    expect(renown(['backup', join(folder, 'none'), '--store', 'memory:'])).toMatchObject({
      exit: 2,
      stderr: 'renown: This store has no file to copy; use `renown export`.\n',
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
