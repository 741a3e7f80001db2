/** That the engine the other tests of ClickHouse stand on is current, and is reached over the wire as a server would be. */
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLICKHOUSE, type RunningClickhouse, startClickhouse } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';

describeWith(CLICKHOUSE, 'the ClickHouse of the tests', () => {
  let engine: RunningClickhouse;
  let client: ClickHouseClient;
  beforeAll(async () => {
    engine = await startClickhouse();
    client = createClient({ url: engine.url, log: { level: 127 } });
  }, 150_000);
  afterAll(async () => {
    await client?.close();
    engine?.stop();
  });

  const select = async (query: string, query_params: Record<string, unknown> = {}) =>
    (await client.query({ query, query_params, format: 'JSONEachRow' })).json<Record<string, unknown>>();

  it('is one that has what the schema needs', async () => {
    const [row] = await select('SELECT version() AS version');
    expect(Number.parseFloat(String(row?.version))).toBeGreaterThanOrEqual(24.1);
  });

  it('takes tables, rows and bound parameters, and gives back what it was given', async () => {
    await client.command({
      query: `CREATE TABLE IF NOT EXISTS probe (at DateTime64(3), name String, attributes Map(String, String), delta Float32)
              ENGINE = MergeTree ORDER BY name TTL toDateTime(at) + INTERVAL 3 YEAR`,
    });
    const rows = [
      { at: '2026-11-15 01:02:03.456', name: `it's \\ "quoted"`, attributes: { a: 'b' }, delta: 0.5 },
      { at: '2026-11-15 01:02:03.457', name: 'ü\n🦊', attributes: {}, delta: -1 },
    ];
    await client.insert({ table: 'probe', values: rows, format: 'JSONEachRow' });
    const found = await select('SELECT * FROM probe WHERE name IN {names:Array(String)} ORDER BY at', {
      names: rows.map(({ name }) => name),
    });
    expect(found).toEqual(rows);
  }, 60_000);

  it('answers a mistake with the code of the engine', async () => {
    await expect(select('SELECT nothing FROM probe')).rejects.toMatchObject({
      code: '47',
      type: 'UNKNOWN_IDENTIFIER',
    });
  }, 60_000);
});
