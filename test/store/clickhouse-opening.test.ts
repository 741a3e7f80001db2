import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseLocation } from '../../src/store/clickhouse/location.ts';
import { checkServer } from '../../src/store/clickhouse/migrate.ts';
import { openStore } from '../../src/store/open-store.ts';
import { Ledgers } from '../support/clickhouse/ledgers.ts';
import { CLICKHOUSE } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';

// A statement takes seconds where the engine is emulated.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describe('the URL of a ClickHouse', () => {
  it('says where it is', () => {
    expect(
      parseLocation('clickhouse://ada:s%2Fecret@db.example:9999/trust?cluster=main&timeout_ms=5000'),
    ).toEqual({
      url: 'http://db.example:9999',
      username: 'ada',
      password: 's/ecret',
      database: 'trust',
      cluster: 'main',
      timeoutMs: 5000,
    });
    expect(parseLocation('clickhouse://localhost')).toMatchObject({
      url: 'http://localhost:8123',
      username: 'default',
      database: 'default',
      cluster: null,
    });
    for (const secure of ['clickhouse+https://db/x', 'clickhouse://db/x?secure=1']) {
      expect(parseLocation(secure).url).toBe('https://db:8443');
    }
  });

  it.each([
    'clickhouse://h/a-b',
    'clickhouse://h/x?cluster=a%20b',
    'clickhouse://h/x?speed=1',
    'clickhouse://h/x?timeout_ms=soon',
    'clickhouse://',
  ])('is refused when it is %s, without quoting a password', (url) => {
    expect(() => parseLocation(url.replace('//h', '//u:hush@h'))).toThrowError(
      expect.objectContaining({ code: 'invalid_request', message: expect.not.stringContaining('hush') }),
    );
  });
});

describe('a ClickHouse that cannot be opened', () => {
  it('says where it was looked for, and why', async () => {
    const closed = await freePort();
    await expect(openStore(`clickhouse://127.0.0.1:${closed}/x`)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`127.0.0.1:${closed}`),
    });
  });

  it.each(['24.9.3.128', '23.12.1.1', '18.16.1'])('is refused at version %s', (version) => {
    expect(() => checkServer(version)).toThrowError(expect.objectContaining({ code: 'store_unavailable' }));
  });

  it.each(['24.10.1.1', '25.1.2.3', '26.7.2.1'])('is taken at version %s', (version) => {
    expect(() => checkServer(version)).not.toThrow();
  });
});

describeWith(CLICKHOUSE, 'a new database on ClickHouse', () => {
  let ledgers: Ledgers;
  beforeAll(async () => {
    ledgers = await Ledgers.start();
  });
  afterAll(() => ledgers?.stop());

  it('is made by two nodes at once, is one, and is refused when it is newer than the program', async () => {
    const { url, database, spoolDir } = await ledgers.take();
    const [a, b] = await Promise.all([openStore(url, { spoolDir }), openStore(url, { spoolDir })]);
    const org = { orgId: 'acme', name: 'Acme', createdAt: 1 };
    const made = await Promise.allSettled([a.orgs.create(org), b.orgs.create(org)]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await b.orgs.list()).toEqual([org]);
    const document = { kind: 'settings', id: 'x', body: 1, at: 1, expectedVersion: 0 };
    const written = await Promise.allSettled([
      a.documents.put('acme', document),
      b.documents.put('acme', document),
    ]);
    expect(written.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await Promise.all([a.close(), b.close()]);
    await ledgers.client.insert({
      table: `${database}.schema_migrations`,
      values: [{ number: 9999, name: '9999-later.sql' }],
      format: 'JSONEachRow',
    });
    await expect(openStore(url, { spoolDir })).rejects.toMatchObject({ code: 'store_too_new' });
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
