/**
 * A record in, a session event out, or nothing. Here a session gets its owner (`renown.agent_id`, else `gen_ai.agent.id`
 * or `.name`, else `service.name`) and its masque. Records without a session are counted, not guessed.
 */
import { type Attribute, attribute } from './attributes.ts';
import type { Dialect } from './dialect.ts';
import { DIALECTS } from './dialects.ts';
import { type AgentName, NO_MASQUE, type Reading, type SessionEvent } from './session-event.ts';
import { isSound } from './soundness.ts';
import type { TelemetryRecord } from './telemetry-record.ts';

const AGENT_NAMES = ['service.name', 'gen_ai.agent.name', 'gen_ai.agent.id', 'renown.agent_id'].map(
  attribute,
);
const MASQUE = attribute('masque');
const ENTRYPOINT = attribute('app.entrypoint');
const SEQUENCE = attribute('event.sequence');
const NOTHING: Reading = { kind: 'other' };

/** What was read that became no event. */
export interface Unread {
  /** Records of a known agent that name no session. */
  withoutSession: number;
  /** Records that no dialect knows. */
  unknown: number;
  /** Records of a session whose id or numbers are none that can be used. */
  unsound: number;
}

export function normalise(record: TelemetryRecord, unread: Unread): SessionEvent | undefined {
  const dialect = dialectOf(record);
  if (!dialect) {
    unread.unknown++;
    return undefined;
  }
  const sessionId = dialect.session(record);
  if (sessionId === undefined) {
    unread.withoutSession++;
    return undefined;
  }
  // A gauge beside a sum tells the same twice.
  const isGauge = record.kind === 'metric' && record.temporality === 'gauge';
  const said = isGauge ? null : dialect.read(record);
  const reading = said ?? NOTHING;
  // Field by field, because spreading an object is several times slower, and there are millions of these.
  const event: SessionEvent = {
    kind: reading.kind,
    id: record.kind === 'metric' && reading.kind === 'metric' ? metricId(record, reading) : reading.id,
    mark: reading.id === undefined && reading.kind !== 'other' ? markOf(record) : undefined,
    name: reading.name,
    ok: reading.ok,
    amount: reading.amount,
    tokens: reading.tokens,
    costUsd: reading.costUsd,
    secondary: reading.secondary,
    sessionId,
    traceId: isOfSpan(record) && record.traceId !== '' ? record.traceId : undefined,
    agent: agentOf(record),
    dialect: dialect.name,
    masque: masqueOf(record),
    entrypoint: record.text(ENTRYPOINT) ?? '',
    at: record.at,
    since: (record.kind === 'span' && record.startedAt) || record.at,
    detailed: record.kind === 'log' || (record.kind !== 'metric' && said !== null),
  };
  if (isSound(event)) return event;
  unread.unsound++;
  return undefined;
}

/** Who says that none was worn says nothing. */
function masqueOf(record: TelemetryRecord): string {
  const masque = record.text(MASQUE) ?? '';
  return masque === NO_MASQUE ? '' : masque;
}

function dialectOf(record: TelemetryRecord): Dialect | undefined {
  for (const dialect of DIALECTS) if (dialect.matches(record)) return dialect;
  return undefined;
}

function isOfSpan({ kind }: TelemetryRecord): boolean {
  return kind === 'span' || kind === 'span_event';
}

function agentOf(record: TelemetryRecord): AgentName {
  for (let rank = AGENT_NAMES.length - 1; rank >= 0; rank--) {
    const name = record.text(AGENT_NAMES[rank] as Attribute);
    if (name !== undefined) return { name, rank };
  }
  return { name: '', rank: 0 };
}

/** Its place in the session where the sender counts, else all that it says. */
function markOf(record: TelemetryRecord): string {
  return record.text(SEQUENCE) ?? record.digest();
}

/**
 * Points of a delta metric are events of their own. Points of a cumulative one are reports of the same sum, of which the
 * largest counts; a sender that starts again starts a new sum. Points that differ in any attribute are of different series,
 * whether or not a dialect reads that attribute.
 */
function metricId(record: TelemetryRecord, { id }: Reading): string {
  const series = `${id}|${record.digest()}|${record.startedAt}`;
  return record.temporality === 'cumulative' ? series : `${series}|${record.at}`;
}
