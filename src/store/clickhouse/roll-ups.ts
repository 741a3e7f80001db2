/**
 * Roll-ups by day: what an agent's evaluations or an identity's events came to. Each insert marks the days it touches, as
 * part of itself, so no order of inserts and no number of nodes can leave a day wrong: a day counts from its roll-up only
 * when that was begun well after the last mark, and is read row by row otherwise. Days are built anew, never added to.
 */
import { LIMITS } from '../../core/limits.ts';
import type { Connection, Parameters } from './connection.ts';

const DAY_MS = 86_400_000;

/** Longer than an insert can take from its mark to being seen by all. */
const SETTLED = `INTERVAL ${LIMITS.clickhouseSettleMs} MILLISECOND`;

export interface Day<T> {
  day: number;
  /** Null when the day was touched since. */
  built: T | null;
}

/** The days of one agent or identity that have anything in them, each with its roll-up where that is up to date. */
export async function readDays<T>(
  connection: Connection,
  {
    of: { table, marks, columns },
    where,
    parameters,
  }: { of: { table: string; marks: string; columns: string }; where: string; parameters: Parameters },
): Promise<Day<T>[]> {
  const rows = await connection.query<T & { day: number; fresh: number }>(
    `SELECT marks.day AS day, ${columns}, built_at > touched_at + ${SETTLED} AS fresh
     FROM (SELECT day, max(touched_at) AS touched_at FROM ${marks} WHERE ${where} GROUP BY day) AS marks
     LEFT JOIN (SELECT * FROM ${table} WHERE ${where} ORDER BY built_at DESC LIMIT 1 BY day) AS days ON days.day = marks.day`,
    parameters,
  );
  return rows.map((row) => ({ day: row.day, built: row.fresh ? row : null }));
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

/** Builds the days anew that were touched since they were built, and have been left alone for a while. */
export async function rollUp(connection: Connection): Promise<void> {
  await connection.command(BUILD_EVALUATION_DAYS);
  await connection.command(BUILD_IDENTITY_DAYS);
}

/** Days of a table of marks that need building, oldest mark first. */
const staleDays = (key: string, { table, marks }: { table: string; marks: string }) => `
  SELECT org_id, ${key}, day FROM (
    SELECT org_id, ${key}, day, max(touched_at) AS touched FROM ${marks} GROUP BY org_id, ${key}, day
  ) AS marks LEFT JOIN (
    SELECT org_id, ${key}, day, max(built_at) AS built FROM ${table} GROUP BY org_id, ${key}, day
  ) AS days USING (org_id, ${key}, day)
  WHERE built <= touched + ${SETTLED} AND touched + ${SETTLED} < now64(3)
  ORDER BY touched LIMIT ${LIMITS.rollUpDaysMax}`;

const BUILD_EVALUATION_DAYS = `
  INSERT INTO evaluation_days (org_id, agent_id, day, counting, built_at)
  SELECT org_id, agent_id, toInt32(floor(received_at / ${DAY_MS})) AS day, uniqExactIf(evaluation_id, counts AND NOT void), now64(3)
  FROM (
    SELECT *, (org_id, agent_id, evaluation_id) IN (SELECT org_id, agent_id, evaluation_id FROM voids) AS void FROM evaluations
    WHERE (org_id, agent_id, toInt32(floor(received_at / ${DAY_MS}))) IN (
      ${staleDays('agent_id', { table: 'evaluation_days', marks: 'agent_days' })})
  )
  GROUP BY org_id, agent_id, day`;

/** Deltas are added up as they were written, 0.1 and not the nearest Float32, so that sums agree with single events. */
const BUILD_IDENTITY_DAYS = `
  INSERT INTO identity_days (org_id, identity_id, day, tallies, built_at)
  WITH stale AS (${staleDays('identity_id', { table: 'identity_days', marks: 'identity_marks' })})
  SELECT org_id, identity_id, day, groupArray((category, sum, total, positive, negative)), now64(3)
  FROM (
    SELECT org_id, identity_id, day, category, sum(delta) AS sum, count() AS total, countIf(delta > 0) AS positive,
      countIf(delta < 0) AS negative
    FROM (
      SELECT org_id, identity_id, latest.1 AS category, toFloat64(toString(latest.2)) AS delta,
        toInt32(floor(toUnixTimestamp64Milli(latest.3) / ${DAY_MS})) AS day
      FROM (
        SELECT org_id, identity_id,
          argMax((category, score_delta, timestamp), (revision, -toUnixTimestamp64Milli(timestamp))) AS latest
        FROM reputation_events
        WHERE (org_id, identity_id) IN (SELECT org_id, identity_id FROM stale)
        GROUP BY org_id, identity_id, event_id
      )
    )
    WHERE (org_id, identity_id, day) IN (SELECT org_id, identity_id, day FROM stale)
    GROUP BY org_id, identity_id, day, category
  )
  GROUP BY org_id, identity_id, day`;
