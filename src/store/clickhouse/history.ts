/** The reputation of an agent as it stood at earlier times, made again from its evaluations. */
import { LIMITS } from '../../core/limits.ts';
import { type KnownAs, type Reputation, reputationOf } from '../../core/reputation.ts';
import { ReputationWindow } from '../../core/reputation-window.ts';
import { replayHistory } from '../replay-history.ts';
import type { Connection } from './connection.ts';
import type { AgentKey } from './standings.ts';

interface CountedRow {
  evaluation_id: string;
  receivedAt: number;
  passed: boolean;
  latencyMs: number;
  agentLatencyMs: number | null;
  knownAs: KnownAs;
  sampleRate: number;
}

const COUNTED_COLUMNS = `evaluation_id, toFloat64(received_at) AS "receivedAt", passed, total_latency_ms AS "latencyMs",
  latency_ms AS "agentLatencyMs", known_as AS "knownAs", sample_rate AS "sampleRate"`;

const OF_AGENT = 'org_id = {orgId:String} AND agent_id = {agentId:String}';

/** The first copy of each evaluation that counts, behind what retention has removed. */
const COUNTING = `(
  SELECT evaluation_id, received_at, place, passed, total_latency_ms, latency_ms, known_as, sample_rate FROM evaluations
  WHERE ${OF_AGENT} AND counts AND evaluation_id NOT IN (SELECT evaluation_id FROM voids WHERE ${OF_AGENT})
    AND (received_at, place) > (SELECT max((upto_at, upto_place)) FROM (
      SELECT upto_at, upto_place FROM agent_prunes WHERE ${OF_AGENT} UNION ALL SELECT toInt64(-1), toUInt32(0)))
  ORDER BY received_at, place, evaluation_id LIMIT 1 BY evaluation_id
)`;

export async function readHistory(
  connection: Connection,
  agent: AgentKey,
  times: readonly number[],
): Promise<Reputation[]> {
  const [first] = times;
  if (first === undefined) return [];
  const upTo = times.at(-1) ?? first;
  const parameters = { ...agent, first, upTo };
  const [before] = await connection.query<{ count: number }>(
    `SELECT toFloat64(count()) + (SELECT toFloat64(max(pruned)) FROM agent_prunes WHERE ${OF_AGENT}) AS count
     FROM ${COUNTING} WHERE received_at <= {first:Float64}`,
    parameters,
  );
  const window = await connection.query<CountedRow>(
    `SELECT ${COUNTED_COLUMNS} FROM ${COUNTING} AS counting WHERE counting.received_at <= {first:Float64}
     ORDER BY counting.received_at DESC, place DESC, evaluation_id DESC LIMIT ${LIMITS.windowSize}`,
    parameters,
  );
  if (!before || (before.count === 0 && upTo === first)) return times.map(() => reputationOf([]));
  const rows = connection.stream<CountedRow>(
    `SELECT ${COUNTED_COLUMNS} FROM ${COUNTING} AS counting
     WHERE counting.received_at > {first:Float64} AND counting.received_at <= {upTo:Float64}
     ORDER BY counting.received_at, place, evaluation_id`,
    parameters,
  );
  const counted = window.reverse().map(({ passed, latencyMs, agentLatencyMs, knownAs, sampleRate }) => ({
    passed,
    latencyMs,
    agentLatencyMs: agentLatencyMs ?? undefined,
    knownAs,
    sampleRate,
  }));
  return replayHistory(ReputationWindow.from(counted, before.count), rows, times);
}
