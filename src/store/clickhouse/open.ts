/**
 * The ledger on ClickHouse, for more than one machine: any number of nodes over one server or cluster. A node keeps nothing
 * that another would need; what it remembers is for answering while the server is away. Puts the parts together.
 */
import { join } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { ArrivalTimes } from '../arrival-times.ts';
import { Spool } from '../spool.ts';
import type { Store } from '../store.ts';
import { untilClosed } from '../until-closed.ts';
import { createKeys, createOrgs } from './accounts.ts';
import { createAgents } from './agents.ts';
import { Arrival } from './arrival.ts';
import { createAudit } from './audit.ts';
import { AuditLog } from './audit-log.ts';
import { Connection } from './connection.ts';
import { createDocuments } from './documents.ts';
import { toOpenError } from './errors.ts';
import { createEvaluations } from './evaluations.ts';
import { createIdentities } from './identities.ts';
import { LastStandings } from './last-standings.ts';
import { parseLocation } from './location.ts';
import { migrate } from './migrate.ts';
import { type Delivery, Outbox } from './outbox.ts';
import { RollUpKeeper } from './roll-up-keeper.ts';
import { RollUps } from './roll-ups.ts';
import { createSessionScores } from './session-scores.ts';
import { createSessions } from './sessions.ts';
import { createSignals } from './signals.ts';
import { createUpkeep } from './upkeep.ts';
import { createVerdicts } from './verdicts.ts';
import { WriteQueue } from './write-queue.ts';

export interface ClickhouseOptions {
  clock: () => number;
  /** Where facts wait for a server that is away. */
  spoolDir: string;
  /** See RollUps. */
  settleMs?: number;
  /** How often days are rolled up. */
  rollUpEveryMs?: number;
}

export async function openClickhouseStore(
  url: string,
  { clock, spoolDir, settleMs, rollUpEveryMs }: ClickhouseOptions,
): Promise<Store> {
  const connection = new Connection(parseLocation(url));
  const queue = new WriteQueue();
  const { outbox, newest } = await begin(connection, queue, spoolDir).catch(async (error) => {
    await connection.close();
    throw toOpenError(error, connection.location.url);
  });
  const rollUps = new RollUps(connection, settleMs);
  const keeper = new RollUpKeeper(rollUps, rollUpEveryMs);
  const last = new LastStandings();
  const arrival = new Arrival(clock, newest.evaluation);
  const log = new AuditLog(outbox, new Arrival(clock, newest.audit));
  const sessionArrival = new Arrival(clock, newest.session);
  const deliveryTimes = new ArrivalTimes(clock, newest.delivery);
  const shared = { connection, queue, outbox, arrival, sessionArrival, deliveryTimes, last, log, rollUps };
  return untilClosed({
    orgs: createOrgs(connection, queue),
    keys: createKeys(connection, queue, log),
    agents: createAgents(shared),
    evaluations: createEvaluations(shared),
    identities: createIdentities(shared),
    signals: createSignals(shared),
    sessionScores: createSessionScores(shared),
    sessions: createSessions(shared),
    verdicts: createVerdicts(shared),
    audit: createAudit(connection, queue, log),
    documents: createDocuments(connection, queue, log),
    upkeep: createUpkeep(shared),
    async close() {
      await keeper.close();
      await queue.close();
      await outbox.close();
      await connection.close();
    },
  });
}

/** How far each kind of fact reaches. */
type Newest = Record<'evaluation' | 'audit' | 'session' | 'delivery', number>;

/** Brings the schema up to date, sends what an earlier process left in the spool, and asks how far the ledger reaches. */
async function begin(connection: Connection, queue: WriteQueue, spoolDir: string) {
  await migrate(connection);
  const { url, database } = connection.location;
  const folder = join(spoolDir, `${new URL(url).host}-${database}`.replaceAll(/[^\w.-]/g, '_'));
  const spool = await Spool.open<Delivery>(folder, { bytesMax: LIMITS.spoolBytesMax });
  const outbox = new Outbox(connection, spool, queue);
  try {
    await outbox.drain();
    const [newest] = await connection.query<Newest>(
      `SELECT toFloat64((SELECT max(received_at) FROM evaluations)) AS evaluation,
         toFloat64((SELECT max(recorded_at) FROM audit)) AS audit,
         toFloat64(greatest((SELECT max(received_at) FROM signal_reports), (SELECT max(recorded_at) FROM session_scores))) AS session,
         (SELECT max(received_at) FROM session_heads) AS delivery`,
    );
    return { outbox, newest: newest ?? { evaluation: 0, audit: 0, session: 0, delivery: 0 } };
  } catch (error) {
    await outbox.close();
    throw error;
  }
}
