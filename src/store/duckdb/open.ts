/** The embedded engine: one DuckDB file, one process. Puts the parts together, and holds what they share. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { ArrivalTimes } from '../arrival-times.ts';
import type { Store } from '../store.ts';
import { untilClosed } from '../until-closed.ts';
import { createKeys, createOrgs } from './accounts.ts';
import { createAgents } from './agents.ts';
import { createAudit } from './audit.ts';
import { CommitQueue } from './commit-queue.ts';
import { Directory } from './directory.ts';
import { createDocuments } from './documents.ts';
import { toOpenError } from './errors.ts';
import { createEvaluations } from './evaluations.ts';
import { Fingerprints } from './fingerprints.ts';
import { createIdentities } from './identities.ts';
import { createRunKeeper, IdentityRuns } from './identity-runs.ts';
import { migrate } from './migrate.ts';
import { Names } from './names.ts';
import { Places } from './places.ts';
import { query } from './query.ts';
import { Recent } from './recent.ts';
import { createSessionScores } from './session-scores.ts';
import { createSessions } from './sessions.ts';
import { createSignals } from './signals.ts';
import { Transaction } from './transaction.ts';
import { createUpkeep } from './upkeep.ts';
import { createVerdicts } from './verdicts.ts';
import { createWindowKeeper } from './window-keeper.ts';
import { Windows } from './windows.ts';

export async function openDuckdbStore(path: string, { clock }: { clock: () => number }): Promise<Store> {
  const instance = await openFile(path);
  // One connection writes, one reads: readers see the last commit and wait for nobody.
  const [writer, reader] = await Promise.all([instance.connect(), instance.connect()]);
  await migrate(writer, path);
  // Larger than DuckDB's own 16 MB: a commit that also checkpoints keeps its writers waiting.
  await writer.run("SET checkpoint_threshold = '64MB'");
  // A checkpoint tries every method on every column. These rarely win, and without them it takes half as long.
  await writer.run("SET disabled_compression_methods = 'alprd,chimp,patas,roaring,zstd,dict_fsst'");
  // What a crash left in the log has just been read; the next opening need not read it again.
  await writer.run('CHECKPOINT');

  const seed = Number(await readMeta(writer, 'fingerprint_seed', () => String(drawSeed())));
  const watermark = Number(await readMeta(writer, 'watermark', () => '-1'));
  const directory = await Directory.load(reader);
  const names = await Names.load(reader, 'names');
  const identities = await Names.load(reader, 'identity_names');
  const windows = new Windows(reader, watermark);
  await windows.recover();
  const places = new Places();
  const arrival = await openArrival(reader, places, watermark);
  let settledSeq = arrival.nextSeq - 1;
  const queue = new CommitQueue({
    begin: (after, previous) => new Transaction(writer, after, previous),
    prepared: () => arrival.nextSeq - 1,
    settled(reached) {
      settledSeq = reached;
      windows.trim();
      for (const keeper of keepers) keeper.look();
    },
  });
  const runs = new IdentityRuns(reader, Number(await readMeta(writer, 'identity_watermark', () => '-1')));
  const eventArrival = await places.open(reader, 'reputation_events', runs.watermark);
  const keepers = [
    createWindowKeeper({ queue, windows, settledSeq: () => settledSeq }),
    createRunKeeper(queue, runs, eventArrival),
  ];
  const evaluationContext = {
    reader,
    queue,
    directory,
    windows,
    names,
    fingerprints: await readFingerprints(reader, 'evaluations'),
    seed,
    clock,
    arrival,
  };
  const identityContext = {
    reader,
    queue,
    fingerprints: await readFingerprints(reader, 'reputation_events'),
    seed,
    names,
    identities,
    runs,
    arrival: eventArrival,
  };

  const signalContext = {
    reader,
    queue,
    directory,
    names,
    fingerprints: await readFingerprints(reader, 'signal_reports'),
    seed,
    clock,
    arrival: await places.open(reader, 'signal_reports'),
  };
  const scoreContext = {
    ...signalContext,
    arrival: await places.open(reader, 'session_scores'),
  };
  const telemetryContext = {
    reader,
    queue,
    directory,
    names,
    recent: new Recent(),
    arrivals: new ArrivalTimes(clock, await readLastDelivery(reader)),
    seed,
  };

  return untilClosed({
    orgs: createOrgs(reader, queue),
    keys: createKeys(reader, queue),
    agents: createAgents({
      queue,
      directory,
      windows,
      identities,
      places,
      recent: telemetryContext.recent,
    }),
    evaluations: createEvaluations(evaluationContext),
    identities: createIdentities(identityContext),
    signals: createSignals(signalContext),
    sessionScores: createSessionScores(scoreContext),
    sessions: createSessions(telemetryContext),
    verdicts: createVerdicts(telemetryContext),
    audit: createAudit(reader, queue),
    documents: createDocuments(reader, queue),
    upkeep: createUpkeep({
      connect: () => instance.connect(),
      places,
      evaluations: evaluationContext,
      identities: identityContext,
      signals: signalContext,
      scores: scoreContext,
      telemetry: telemetryContext,
    }),
    async close() {
      for (const keeper of keepers) await keeper.close();
      await queue.close();
      await writer.run('CHECKPOINT');
      reader.closeSync();
      writer.closeSync();
      instance.closeSync();
    },
  });
}

async function openFile(path: string): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path);
  } catch (error) {
    throw toOpenError(error, path);
  }
}

/** A value that belongs to this file, made once. */
async function readMeta(connection: DuckDBConnection, name: string, make: () => string): Promise<string> {
  const [row] = await query<{ value: string }>(connection, 'SELECT value FROM meta WHERE name = $name', {
    name,
  });
  if (row) return row.value;
  const value = make();
  await connection.run('INSERT INTO meta VALUES ($name, $value)', { name, value });
  return value;
}

/** Where the evaluations go on. Times begin with the clock's: what a restored row says of the future is not now. */
async function openArrival(
  connection: DuckDBConnection,
  places: Places,
  watermark: number,
): Promise<{ nextSeq: number; lastAt: number }> {
  const [last] = await query<{ seq: number }>(
    connection,
    `SELECT greatest(${watermark}, (SELECT coalesce(max(seq), -1) FROM windows)) AS seq`,
  );
  const place = await places.open(connection, 'evaluations', last?.seq);
  return Object.assign(place, { lastAt: 0 });
}

async function readLastDelivery(connection: DuckDBConnection): Promise<number> {
  const [last] = await query<{ at: number }>(
    connection,
    'SELECT coalesce(max(received_at), 0) AS at FROM session_heads',
  );
  return last?.at ?? 0;
}

/** Streams the fingerprints of a table into memory, chunk by chunk. */
async function readFingerprints(connection: DuckDBConnection, table: string): Promise<Fingerprints> {
  const fingerprints = new Fingerprints();
  const result = await connection.stream(`SELECT fingerprint FROM ${table}`);
  for (
    let chunk = await result.fetchChunk();
    chunk && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    chunk.visitColumnValues(0, (fingerprint) => fingerprints.add(fingerprint as number));
  }
  return fingerprints;
}

function drawSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}
