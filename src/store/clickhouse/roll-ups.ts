/**
 * Roll-ups by day: what an agent's evaluations or an identity's events came to. Each insert marks the days it touches, as
 * part of itself, so no order of inserts and no number of nodes can leave a day wrong: a day counts from its roll-up only
 * when that was begun well after the last mark, and is read row by row otherwise. Days are built anew, never added to.
 */
import { LIMITS } from '../../core/limits.ts';
import type { Connection, Parameters } from './connection.ts';

const DAY_MS = 86_400_000;

export interface Day<T> {
  day: number;
  /** Null when the day was touched since. */
  built: T | null;
}

/** The days of one agent or identity. */
interface DaysOf {
  /** Of the roll-ups, and of the marks that inserts leave. */
  tables: { days: string; marks: string };
  columns: string;
  where: string;
  parameters: Parameters;
}

export class RollUps {
  readonly #connection: Connection;
  readonly #settled: string;

  /** `settleMs`: longer than an insert can take from its mark to being seen by all. */
  constructor(connection: Connection, settleMs: number = LIMITS.clickhouseSettleMs) {
    this.#connection = connection;
    this.#settled = `INTERVAL ${settleMs} MILLISECOND`;
  }

  /** The days that have anything in them, each with its roll-up where that is up to date. */
  async read<T>({ tables, columns, where, parameters }: DaysOf): Promise<Day<T>[]> {
    const rows = await this.#connection.query<T & { day: number; fresh: number }>(
      `SELECT marks.day AS day, ${columns}, built_at > touched_at + ${this.#settled} AS fresh
       FROM (SELECT day, max(touched_at) AS touched_at FROM ${tables.marks} WHERE ${where} GROUP BY day) AS marks
       LEFT JOIN (SELECT * FROM ${tables.days} WHERE ${where} ORDER BY built_at DESC LIMIT 1 BY day) AS days
       ON days.day = marks.day`,
      parameters,
    );
    return rows.map((row) => ({ day: row.day, built: row.fresh ? row : null }));
  }

  /** Builds the days anew that were touched since they were built, and have been left alone for a while. */
  async build(): Promise<void> {
    await this.#connection.command(
      buildEvaluationDays(this.#stale('agent_id', { days: 'evaluation_days', marks: 'agent_days' })),
    );
    await this.#connection.command(
      buildIdentityDays(this.#stale('identity_id', { days: 'identity_days', marks: 'identity_marks' })),
    );
  }

  #stale(key: string, { days, marks }: { days: string; marks: string }): string {
    return `
      SELECT org_id, ${key}, day FROM (
        SELECT org_id, ${key}, day, max(touched_at) AS touched FROM ${marks} GROUP BY org_id, ${key}, day
      ) AS marks LEFT JOIN (
        SELECT org_id, ${key}, day, max(built_at) AS built FROM ${days} GROUP BY org_id, ${key}, day
      ) AS days USING (org_id, ${key}, day)
      WHERE built <= touched + ${this.#settled} AND touched + ${this.#settled} < now64(3)
      ORDER BY touched LIMIT ${LIMITS.rollUpDaysMax}`;
  }
}

/** A condition that holds on these days. Numbers only, so nothing in it can be mistaken for SQL. */
export function toRanges(
  days: readonly number[],
  column: string,
  toValue: (ms: number) => string = String,
): string {
  const ranges: { from: number; to: number }[] = [];
  for (const day of [...new Set(days)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.to === day) last.to = day + 1;
    else ranges.push({ from: day, to: day + 1 });
  }
  const conditions = ranges.map(
    ({ from, to }) => `(${column} >= ${toValue(from * DAY_MS)} AND ${column} < ${toValue(to * DAY_MS)})`,
  );
  return conditions.join(' OR ') || 'false';
}

/** The time is that at which the statement began, so an insert that it does not see is later. */
const buildEvaluationDays = (stale: string) => `
  INSERT INTO evaluation_days (org_id, agent_id, day, counting, built_at)
  SELECT org_id, agent_id, day, uniqExactIf(evaluation_id, counts AND NOT void), now64(3)
  FROM (
    SELECT org_id, agent_id, evaluation_id, counts, toInt32(floor(received_at / ${DAY_MS})) AS day,
      (org_id, agent_id, evaluation_id) IN (SELECT org_id, agent_id, evaluation_id FROM voids) AS void
    FROM evaluations
    WHERE (org_id, agent_id, toInt32(floor(received_at / ${DAY_MS}))) IN (${stale})
  )
  GROUP BY org_id, agent_id, day`;

/**
 * Deltas are added up as they were written, 0.1 and not the nearest Float32, so that sums agree with single events. An event
 * counts for the identity of its highest revision alone.
 */
const buildIdentityDays = (stale: string) => `
  INSERT INTO identity_days (org_id, identity_id, day, tallies, built_at)
  WITH stale AS (${stale})
  SELECT org_id, identity_id, day, groupArray((category, sum, total, positive, negative)), now64(3)
  FROM (
    SELECT org_id, identity_id, day, category, sum(delta) AS sum, count() AS total, countIf(delta > 0) AS positive,
      countIf(delta < 0) AS negative
    FROM (
      SELECT org_id, identity_id, latest.1 AS category, toFloat64(toString(latest.2)) AS delta,
        toInt32(floor(toUnixTimestamp64Milli(latest.3) / ${DAY_MS})) AS day
      FROM (
        SELECT org_id, identity_id, event_id, max(revision) AS highest,
          argMax((category, score_delta, timestamp), (revision, -toUnixTimestamp64Milli(timestamp))) AS latest
        FROM reputation_events
        WHERE (org_id, identity_id) IN (SELECT org_id, identity_id FROM stale)
        GROUP BY org_id, identity_id, event_id
      )
      WHERE (org_id, event_id, highest) IN (
        SELECT org_id, event_id, max(revision) FROM event_ids WHERE (org_id, event_id) IN (
          SELECT org_id, event_id FROM reputation_events WHERE (org_id, identity_id) IN (SELECT org_id, identity_id FROM stale)
        )
        GROUP BY org_id, event_id
      )
    )
    WHERE (org_id, identity_id, day) IN (SELECT org_id, identity_id, day FROM stale)
    GROUP BY org_id, identity_id, day, category
  )
  GROUP BY org_id, identity_id, day`;
