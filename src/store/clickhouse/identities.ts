import { randomUUID } from 'node:crypto';
import {
  type Category,
  type DailySum,
  dayOf,
  edgeDays,
  scoreIdentity,
  scoreIdentityFromDays,
  toDailySums,
} from '../../core/identity.ts';
import { isUuid } from '../../core/ids.ts';
import type { Identities, ReputationEvent } from '../store.ts';
import type { Connection } from './connection.ts';
import { parseCursor, toCursor } from './cursor.ts';
import { isAway } from './errors.ts';
import {
  checkEvents,
  EVENT_COLUMNS,
  type EventRow,
  fromEventRow,
  type StoredEvent,
  toEventRow,
} from './event-rows.ts';
import { markRevised, revisionKey, revisionsOf } from './known.ts';
import type { Outbox } from './outbox.ts';
import { type RollUps, toRanges } from './roll-ups.ts';
import type { WriteQueue } from './write-queue.ts';

export interface IdentityContext {
  connection: Connection;
  queue: WriteQueue;
  outbox: Outbox;
  rollUps: RollUps;
}

const OF_IDENTITY = 'org_id = {orgId:String} AND identity_id = {identityId:UUID}';

/** Events of the identity that another one has a higher revision of: they count for that one alone. */
const SUPERSEDED = `
  SELECT event_id FROM event_ids
  WHERE org_id = {orgId:String} AND event_id IN (SELECT event_id FROM reputation_events WHERE ${OF_IDENTITY})
  GROUP BY event_id
  HAVING maxIf(revision, identity_id != {identityId:UUID}) > maxIf(revision, identity_id = {identityId:UUID})`;

export function createIdentities(context: IdentityContext): Identities {
  const { connection, queue } = context;
  const appendGroup = (group: readonly Brought[]) => appendEvents(context, group);
  return {
    async append(orgId, batch) {
      checkEvents(batch);
      return queue.append(appendGroup, { orgId, batch }, batch.length);
    },

    async list(orgId, identityId, { cursor, limit }) {
      const after = cursor == null ? null : parseCursor(cursor);
      if (!isUuid(identityId)) return { items: [], nextCursor: null };
      const older = 'WHERE (at, toString(event_id)) < ({at:Float64}, {id:String})';
      const rows = await connection.query<StoredEvent>(
        `SELECT * FROM (
           SELECT ${EVENT_COLUMNS} FROM reputation_events
           WHERE ${OF_IDENTITY} AND event_id NOT IN (${SUPERSEDED})
           ORDER BY revision DESC, at LIMIT 1 BY event_id
         ) ${after ? older : ''} ORDER BY at DESC, toString(event_id) DESC LIMIT ${limit + 1}`,
        { orgId, identityId, ...(after && { at: after.at, id: after.id }) },
      );
      const items = rows.slice(0, limit).map(fromEventRow);
      const last = items.at(-1);
      const position = last && { at: last.timestamp, place: 0, id: last.eventId };
      return { items, nextCursor: position && rows.length > limit ? toCursor(position) : null };
    },

    score: (orgId, identityId, now) =>
      isUuid(identityId)
        ? scoreFromDays(context, { orgId, identityId, now })
        : Promise.resolve(scoreIdentity([], now)),
  };
}

interface BuiltDay {
  tallies: { category: Category; sum: number; total: number; positive: number; negative: number }[];
}

/** Days that are rolled up come as sums; those touched since, and those at the edges, event by event. */
async function scoreFromDays(
  { connection, rollUps }: IdentityContext,
  { orgId, identityId, now }: { orgId: string; identityId: string; now: number },
) {
  const edges = edgeDays(now);
  const [first, last] = [Math.min(...edges), Math.max(...edges)];
  const days = await rollUps.read<BuiltDay>({
    tables: { days: 'identity_days', marks: 'identity_marks' },
    columns: 'tallies',
    where: `${OF_IDENTITY} AND day BETWEEN ${first} AND ${last}`,
    parameters: { orgId, identityId },
  });
  const single = days.filter(({ day, built }) => built === null || edges.includes(day)).map(({ day }) => day);
  const events = await readLatest(connection, { orgId, identityId, days: single });
  const sums = days.flatMap(({ day, built }): DailySum[] =>
    built && !single.includes(day)
      ? built.tallies.map((tally) => ({
          day,
          category: tally.category,
          sum: tally.sum,
          total: Number(tally.total),
          positive: Number(tally.positive),
          negative: Number(tally.negative),
        }))
      : [],
  );
  return scoreIdentityFromDays([...sums, ...toDailySums(events)], events, now);
}

interface RevisedEvent {
  event_id: string;
  revision: number;
  at: number;
  category: Category;
  score_delta: number;
}

/** The events whose highest revision falls on one of these days. A revision on another day takes its event away from them. */
async function readLatest(
  connection: Connection,
  { orgId, identityId, days }: { orgId: string; identityId: string; days: readonly number[] },
) {
  if (days.length === 0) return [];
  const ranges = toRanges(days, 'timestamp', (ms) => `fromUnixTimestamp64Milli(toInt64(${ms}))`);
  const rows = await connection.query<RevisedEvent>(
    `SELECT event_id, toFloat64(revision) AS revision, toFloat64(toUnixTimestamp64Milli(timestamp)) AS at, category, score_delta
     FROM reputation_events
     WHERE ${OF_IDENTITY} AND (${ranges} OR reputation_events.revision > 0) AND event_id NOT IN (${SUPERSEDED})`,
    { orgId, identityId },
  );
  const latest = new Map<string, RevisedEvent>();
  for (const row of rows) {
    const known = latest.get(row.event_id);
    const isNewer =
      !known || row.revision > known.revision || (row.revision === known.revision && row.at < known.at);
    if (isNewer) latest.set(row.event_id, row);
  }
  return [...latest.values()]
    .filter(({ at }) => days.includes(dayOf(at)))
    .map(({ at, category, score_delta }) => ({ timestamp: at, category, scoreDelta: score_delta }));
}

interface Brought {
  orgId: string;
  batch: readonly ReputationEvent[];
}

/** Appends what several callers bring with one insert; restoring does so too. */
export async function appendEvents(
  { connection, outbox }: IdentityContext,
  group: readonly Brought[],
): Promise<{ accepted: number; duplicates: string[] }[]> {
  const brought = group.map(({ orgId, batch }) => batch.map((event) => toEventRow(orgId, event)));
  const known = await readKnown(connection, outbox, brought.flat());
  const wasKnown = known.size > 0;
  const fresh: EventRow[] = [];
  const answers = brought.map((rows) => {
    const duplicates: string[] = [];
    for (const row of rows) {
      const key = revisionKey(row);
      if (known.has(key)) {
        duplicates.push(row.event_id);
        continue;
      }
      known.add(key);
      fresh.push(row);
    }
    return { accepted: rows.length - duplicates.length, duplicates };
  });
  if (wasKnown && !outbox.isWaiting && fresh.length > 0) await markRevised(connection, fresh);
  await outbox.send({ table: 'reputation_events', token: randomUUID(), rows: fresh });
  return answers;
}

/** Which revisions are known: to the server, or, while it is away, to this node. */
async function readKnown(
  connection: Connection,
  outbox: Outbox,
  rows: readonly EventRow[],
): Promise<Set<string>> {
  if (!outbox.isWaiting) {
    try {
      return await revisionsOf(connection, rows);
    } catch (error) {
      if (!isAway(error)) throw error;
    }
  }
  return outbox.waitingOf('reputation_events', rows.map(revisionKey));
}
