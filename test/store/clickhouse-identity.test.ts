/** However events were batched, an identity has one score: in core, in reads, from roll-ups, and in `reputation_scores`. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type IdentityScore, scoreIdentity } from '../../src/core/identity.ts';
import { Connection } from '../../src/store/clickhouse/connection.ts';
import { parseLocation } from '../../src/store/clickhouse/location.ts';
import { openClickhouseStore } from '../../src/store/clickhouse/open.ts';
import { RollUps } from '../../src/store/clickhouse/roll-ups.ts';
import type { ReputationEvent, Store } from '../../src/store/store.ts';
import { type Ledger, Ledgers } from '../support/clickhouse/ledgers.ts';
import { CLICKHOUSE } from '../support/clickhouse/start.ts';
import { describeWith } from '../support/describe-with.ts';
import { eventIdOf, reputationEvent } from './rows.ts';

// A statement takes seconds where the engine is emulated.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const DAY_MS = 86_400_000;
const IN_PARTS = 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0001';
const AT_ONCE = 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0002';
const ORIGINAL = 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0003';
/** Float32 columns. */
const DIGITS = 6;

describeWith(CLICKHOUSE, 'an identity on ClickHouse', () => {
  let ledgers: Ledgers;
  let ledger: Ledger;
  let store: Store;
  const now = Date.now();
  beforeAll(async () => {
    ledgers = await Ledgers.start();
    ledger = await ledgers.take();
    store = await openClickhouseStore(ledger.url, {
      clock: Date.now,
      spoolDir: ledger.spoolDir,
      settleMs: 0,
      // Without a time to settle, a build beside an insert may miss it: here only the test builds.
      rollUpEveryMs: DAY_MS,
    });
  });
  afterAll(async () => {
    await store?.close();
    await ledgers?.stop();
  });

  const event = (n: number, daysAgo: number, given: Partial<ReputationEvent>) =>
    reputationEvent(n, { identityId: IN_PARTS, timestamp: now - daysAgo * DAY_MS, ...given });
  const parts = [
    [
      event(1, 1, { scoreDelta: 0.8 }),
      event(2, 5, { scoreDelta: -0.3, category: 'economic' }),
      event(3, 20, { scoreDelta: 0.25, category: 'identity_hygiene' }),
      event(4, 95, { scoreDelta: 0.7 }),
    ],
    [event(2, 5, { scoreDelta: -0.3, category: 'economic' }), event(5, 40, { scoreDelta: 0.1 })],
    [event(1, 2, { scoreDelta: -0.6, revision: 1 })],
  ];
  const final = [parts[2]?.[0], ...(parts[0]?.slice(1) ?? []), parts[1]?.[1]].filter(
    (one) => one !== undefined,
  );

  const close = (score: IdentityScore, expected: IdentityScore) => {
    const numbers = ({ categoryScores, ...rest }: IdentityScore) => ({ ...rest, ...categoryScores });
    for (const [name, value] of Object.entries(numbers(expected))) {
      expect((numbers(score) as Record<string, number>)[name], name).toBeCloseTo(value, DIGITS);
    }
  };

  const scoresTable = async (identityId: string) => {
    const answer = await ledgers.client.query({
      query: `SELECT *, toFloat64(toUnixTimestamp64Milli(computed_at)) AS at FROM ${ledger.database}.reputation_scores
              WHERE identity_id = {identityId:UUID} ORDER BY computed_at DESC LIMIT 1`,
      query_params: { identityId },
      format: 'JSONEachRow',
    });
    const [row] = await answer.json<Record<string, number>>();
    return {
      at: Number(row?.at),
      score: {
        overallScore: Number(row?.overall_score),
        categoryScores: {
          task_quality: Number(row?.task_quality_score),
          economic: Number(row?.economic_score),
          identity_hygiene: Number(row?.identity_hygiene_score),
        },
        totalEvents: Number(row?.total_events),
        positiveEvents: Number(row?.positive_events),
        negativeEvents: Number(row?.negative_events),
        confidence: Number(row?.confidence),
        score7dAgo: Number(row?.score_7d_ago),
        score30dAgo: Number(row?.score_30d_ago),
      },
    };
  };

  it('has the score that core gives it, in three inserts with a repeat and a revision or in one', async () => {
    for (const part of parts) await store.identities.append('acme', part);
    const atOnce = final.map((one, i) => ({ ...one, identityId: AT_ONCE, eventId: eventIdOf(100 + i) }));
    await store.identities.append('acme', atOnce);
    for (const identityId of [IN_PARTS, AT_ONCE]) {
      close(await store.identities.score('acme', identityId, now), scoreIdentity(final, now));
      const { at, score } = await scoresTable(identityId);
      close(score, scoreIdentity(final, at));
    }
  });

  it('has the same score from days that are rolled up, also when a revision takes an event away from one', async () => {
    const connection = new Connection(parseLocation(ledger.url));
    const rollUps = new RollUps(connection, 0);
    await rollUps.build();
    close(await store.identities.score('acme', IN_PARTS, now), scoreIdentity(final, now));
    const moved = event(5, 60, { scoreDelta: 0.9, revision: 1 });
    const revised = [...final.slice(0, -1), moved];
    await store.identities.append('acme', [moved]);
    close(await store.identities.score('acme', IN_PARTS, now), scoreIdentity(revised, now));
    await rollUps.build();
    close(await store.identities.score('acme', IN_PARTS, now), scoreIdentity(revised, now));
    await connection.close();
  });

  it('takes SQL that was written for the original', async () => {
    const original = (
      delta: number,
    ) => `('${eventIdOf(7)}', fromUnixTimestamp64Milli(toInt64(${now - DAY_MS})), '${ORIGINAL}',
      'economic', 'payment_completed', ${delta}, 1, '', '', map('a', 'b'))`;
    for (const delta of [0.5, 0.5]) {
      await ledgers.client.command({
        query: `INSERT INTO ${ledger.database}.reputation_events (event_id, timestamp, identity_id, category, event_type,
          score_delta, confidence, reference_type, reference_id, attributes) VALUES ${original(delta)}`,
      });
    }
    const score = await store.identities.score('default', ORIGINAL, now);
    expect(score.totalEvents).toBe(1);
    expect(score.categoryScores.economic).toBeCloseTo(0.5, DIGITS);
    expect((await scoresTable(ORIGINAL)).score).toMatchObject({ totalEvents: 1, positiveEvents: 1 });
  });
});
