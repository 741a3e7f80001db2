/**
 * Where agents stand: their windows, and how many evaluations ever counted. A window is the end of one short range of the
 * table. Lifetime counts are asked for only where an agent has more than its window: then days that are rolled up are
 * added, and only days touched since are counted one by one.
 */
import { dayOf } from '../../core/identity.ts';
import { LIMITS } from '../../core/limits.ts';
import { type KnownAs, type Reputation, reputationOf } from '../../core/reputation.ts';
import { compareIds } from '../compare-ids.ts';
import { toCounted } from '../evaluation-window.ts';
import type { Connection } from './connection.ts';
import type { EvaluationRow } from './evaluation-rows.ts';
import { type RollUps, toRanges } from './roll-ups.ts';

export interface StandingContext {
  connection: Connection;
  rollUps: RollUps;
}

export interface AgentKey {
  orgId: string;
  agentId: string;
}

type CountedRow = Pick<
  EvaluationRow,
  | 'received_at'
  | 'place'
  | 'evaluation_id'
  | 'passed'
  | 'total_latency_ms'
  | 'latency_ms'
  | 'known_as'
  | 'sample_rate'
>;

/** What an agent's reputation is made from: its newest counting evaluations, oldest first, and how many there are in all. */
export interface Standing {
  window: CountedRow[];
  lifetime: number;
}

/** Beyond the window, for copies that two nodes took of one evaluation. */
const SLACK_ROWS = 100;
/** Agents in one statement. */
const AGENTS_AT_ONCE = 50;

export function toReputation({ window, lifetime }: Standing): Reputation {
  const counted = window
    .slice(-LIMITS.windowSize)
    .map(({ passed, total_latency_ms, latency_ms, known_as, sample_rate }) =>
      toCounted({
        passed,
        totalLatencyMs: total_latency_ms,
        latencyMs: latency_ms,
        knownAs: known_as as KnownAs,
        sampleRate: sample_rate,
      }),
    );
  return reputationOf(counted, lifetime - counted.length);
}

/** The standing after further evaluations, which may be older than some that are in it: other nodes have their own clocks. */
export function withRows({ window, lifetime }: Standing, rows: readonly CountedRow[]): Standing {
  const merged = [...window, ...rows].sort(byArrival).slice(-LIMITS.windowSize);
  return { window: merged, lifetime: lifetime + rows.length };
}

export async function readStandings(
  context: StandingContext,
  agents: readonly AgentKey[],
  rowsMax = LIMITS.windowSize + SLACK_ROWS,
): Promise<Standing[]> {
  const standings: Standing[] = [];
  for (let i = 0; i < agents.length; i += AGENTS_AT_ONCE) {
    standings.push(...(await readSome(context, agents.slice(i, i + AGENTS_AT_ONCE), rowsMax)));
  }
  return standings;
}

interface Pruned {
  pruned: number;
  upto: { at: number; place: number };
}

async function readSome(context: StandingContext, agents: readonly AgentKey[], rowsMax: number) {
  const found = await readNewest(context.connection, agents, rowsMax);
  return Promise.all(
    agents.map(async (agent, i): Promise<Standing> => {
      const rows = found.filter((row) => row.agent === i);
      const newest = rows.filter(({ pruned }) => pruned < 0);
      const prune = toPruned(rows.filter(({ pruned }) => pruned >= 0));
      const window = firstCopies(newest.filter((row) => isAfter(row, prune.upto)));
      if (newest.length < rowsMax) return { window, lifetime: window.length + prune.pruned };
      if (window.length < LIMITS.windowSize) {
        const [more] = await readSome(context, [agent], rowsMax * 4);
        if (more) return more;
      }
      return { window, lifetime: prune.pruned + (await countSince(context, agent, prune.upto)) };
    }),
  );
}

/** The newest counting rows of each agent, and what is noted of those that retention has removed. */
function readNewest(connection: Connection, agents: readonly AgentKey[], rowsMax: number) {
  const parameters: Record<string, string> = {};
  const parts = agents.map(({ orgId, agentId }, i) => {
    parameters[`o${i}`] = orgId;
    parameters[`a${i}`] = agentId;
    const ofAgent = `org_id = {o${i}:String} AND agent_id = {a${i}:String}`;
    return `SELECT ${i} AS agent, toFloat64(received_at) AS received_at, place, evaluation_id, passed, total_latency_ms,
        latency_ms, known_as, sample_rate, toFloat64(-1) AS pruned
      FROM (
        SELECT received_at, place, evaluation_id, passed, total_latency_ms, latency_ms, known_as, sample_rate FROM evaluations
        WHERE ${ofAgent} AND counts AND evaluation_id NOT IN (SELECT evaluation_id FROM voids WHERE ${ofAgent})
        ORDER BY received_at DESC, place DESC, evaluation_id DESC LIMIT ${rowsMax}
      )
      UNION ALL
      SELECT ${i}, toFloat64(upto_at), upto_place, '', false, 0, NULL, '', 1, toFloat64(pruned) FROM agent_prunes WHERE ${ofAgent}`;
  });
  return connection.query<CountedRow & { agent: number; pruned: number }>(
    parts.join('\nUNION ALL\n'),
    parameters,
  );
}

/** Retention may have noted itself more than once, and always a higher number. */
function toPruned(rows: readonly (CountedRow & { pruned: number })[]): Pruned {
  let last: Pruned = { pruned: 0, upto: { at: Number.NEGATIVE_INFINITY, place: 0 } };
  for (const { pruned, received_at, place } of rows) {
    if (pruned >= last.pruned) last = { pruned, upto: { at: received_at, place } };
  }
  return last;
}

/** Counting evaluations behind what retention has removed. */
async function countSince(
  { connection, rollUps }: StandingContext,
  { orgId, agentId }: AgentKey,
  upto: { at: number; place: number },
): Promise<number> {
  const from = Number.isFinite(upto.at) ? dayOf(upto.at) : Number.NEGATIVE_INFINITY;
  const ofAgent = 'org_id = {orgId:String} AND agent_id = {agentId:String}';
  const days = await rollUps.read<{ counting: number }>({
    tables: { days: 'evaluation_days', marks: 'agent_days' },
    columns: 'toFloat64(counting) AS counting',
    where: ofAgent,
    parameters: { orgId, agentId },
  });
  // The day on which retention stopped is counted one by one, and those before it are counted already.
  const later = days.filter(({ day }) => day > from);
  const touched = [...later.filter(({ built }) => built === null).map(({ day }) => day)];
  if (Number.isFinite(from)) touched.push(from);
  const rolledUp = later.reduce((sum, { built }) => sum + (built?.counting ?? 0), 0);
  if (touched.length === 0) return rolledUp;
  const [row] = await connection.query<{ counting: number }>(
    `SELECT toFloat64(uniqExact(evaluation_id)) AS counting FROM evaluations
     WHERE ${ofAgent} AND counts AND (${toRanges(touched, 'received_at')})
       AND (received_at, place) > ({at:Int64}, {place:UInt32})
       AND evaluation_id NOT IN (SELECT evaluation_id FROM voids WHERE ${ofAgent})`,
    { orgId, agentId, at: Number.isFinite(upto.at) ? upto.at : -1e15, place: upto.place },
  );
  return rolledUp + (row?.counting ?? 0);
}

/** Oldest first, and the first of each id: the one that stays when two nodes took the same evaluation. */
function firstCopies(rows: readonly CountedRow[]): CountedRow[] {
  const ids = new Set<string>();
  return [...rows].sort(byArrival).filter(({ evaluation_id }) => {
    if (ids.has(evaluation_id)) return false;
    ids.add(evaluation_id);
    return true;
  });
}

function byArrival(a: CountedRow, b: CountedRow): number {
  return a.received_at - b.received_at || a.place - b.place || compareIds(a.evaluation_id, b.evaluation_id);
}

function isAfter(row: CountedRow, upto: { at: number; place: number }): boolean {
  return row.received_at > upto.at || (row.received_at === upto.at && row.place > upto.place);
}
