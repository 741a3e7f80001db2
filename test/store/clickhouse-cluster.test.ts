/** The statements that a cluster would get. They were never run on one; a server reads them, and this snapshot pins them. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listStatements } from '../../src/store/clickhouse/migrate.ts';
import { Ledgers } from '../support/clickhouse/ledgers.ts';
import { CLICKHOUSE } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';

// A statement takes seconds where the engine is emulated.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const statements = await listStatements({ database: 'renown', cluster: 'main' });

describe('the schema in a cluster', () => {
  it('is these statements', () => {
    expect(statements.join(';\n\n')).toMatchSnapshot();
  });

  it('has a replicated table behind every distributed one, and names no other table', () => {
    const made = statements.flatMap((sql) => /IF NOT EXISTS (\w+)/.exec(sql)?.[1] ?? []);
    const named = statements.flatMap((sql) =>
      [...sql.matchAll(/\b(?:FROM|TO|AS) (\w+_local)\b/g)].map(([, name]) => name),
    );
    expect(named.filter((name) => !made.includes(name ?? ''))).toEqual([]);
    expect(statements.filter((sql) => !sql.includes('ON CLUSTER main'))).toEqual([]);
    for (const sql of statements.filter((one) => /ENGINE = \w*MergeTree/.test(one))) {
      expect(sql).toMatch(/ENGINE = Replicated/);
    }
  });
});

describeWith(CLICKHOUSE, 'a ClickHouse', () => {
  let ledgers: Ledgers;
  beforeAll(async () => {
    ledgers = await Ledgers.start();
  });
  afterAll(() => ledgers?.stop());

  it('reads every one of them', async () => {
    for (const query of statements) {
      const answer = await ledgers.client.query({ query: `EXPLAIN AST ${query}`, format: 'TabSeparated' });
      expect(await answer.text()).toMatch(/^CreateQuery/);
    }
  });
});
