/**
 * The ledger on ClickHouse, for more than one machine: any number of nodes over one server or cluster. A node keeps nothing
 * that another would need; what it remembers is for answering while the server is away. Puts the parts together.
 */
import { join } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { Spool } from '../spool.ts';
import type { Store } from '../store.ts';
import { createKeys, createOrgs } from './accounts.ts';
import { createAgents } from './agents.ts';
import { Arrival } from './arrival.ts';
import { createAudit } from './audit.ts';
import { Connection } from './connection.ts';
import { toOpenError } from './errors.ts';
import { createEvaluations } from './evaluations.ts';
import { createIdentities } from './identities.ts';
import { LastStandings } from './last-standings.ts';
import { parseLocation } from './location.ts';
import { migrate } from './migrate.ts';
import { type Delivery, Outbox } from './outbox.ts';
import { RollUpKeeper } from './roll-up-keeper.ts';
import { createUpkeep } from './upkeep.ts';
import { WriteQueue } from './write-queue.ts';

export interface ClickhouseOptions {
  clock: () => number;
  /** Where facts wait for a server that is away. */
  spoolDir: string;
}

export async function openClickhouseStore(
  url: string,
  { clock, spoolDir }: ClickhouseOptions,
): Promise<Store> {
  const connection = new Connection(parseLocation(url));
  const queue = new WriteQueue();
  const { outbox, newest } = await begin(connection, queue, spoolDir).catch(async (error) => {
    await connection.close();
    throw toOpenError(error, connection.location.url);
  });
  const keeper = new RollUpKeeper(connection);
  const last = new LastStandings();
  const arrival = new Arrival(clock, newest.evaluation);
  const auditArrival = new Arrival(clock, newest.audit);
  const shared = { connection, queue, outbox, arrival, last };
  return {
    orgs: createOrgs(connection, queue),
    keys: createKeys(connection, queue),
    agents: createAgents(shared),
    evaluations: createEvaluations(shared),
    identities: createIdentities(shared),
    audit: createAudit({ connection, queue, outbox, arrival: auditArrival }),
    upkeep: createUpkeep({ ...shared, auditArrival }),
    async close() {
      await keeper.close();
      await queue.close();
      await outbox.close();
      await connection.close();
    },
  };
}

/** Brings the schema up to date, sends what an earlier process left in the spool, and asks how far the ledger reaches. */
async function begin(connection: Connection, queue: WriteQueue, spoolDir: string) {
  await migrate(connection);
  const { url, database } = connection.location;
  const folder = join(spoolDir, `${new URL(url).host}-${database}`.replaceAll(/[^\w.-]/g, '_'));
  const spool = await Spool.open<Delivery>(folder, { bytesMax: LIMITS.spoolBytesMax });
  const outbox = new Outbox(connection, spool, queue);
  await outbox.drain();
  const [newest] = await connection.query<{ evaluation: number; audit: number }>(
    `SELECT toFloat64((SELECT max(received_at) FROM evaluations)) AS evaluation,
       toFloat64((SELECT max(recorded_at) FROM audit)) AS audit`,
  );
  return { outbox, newest: newest ?? { evaluation: 0, audit: 0 } };
}
