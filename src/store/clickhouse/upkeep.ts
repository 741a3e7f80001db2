import { restoreInBatches } from '../restore-in-batches.ts';
import type { AuditEntry, LedgerRow, Pruned, Upkeep } from '../store.ts';
import { insertKey, insertOrg, listKeys, listOrgs } from './accounts.ts';
import { insertChange, readAgents } from './agents.ts';
import { AUDIT_COLUMNS, type AuditRow, fromAuditRow } from './audit-rows.ts';
import type { Connection } from './connection.ts';
import { insertStep, readLast, readSteps, toDocument } from './documents.ts';
import { EVALUATION_COLUMNS, fromRow, type StoredRow } from './evaluation-rows.ts';
import { appendEvaluations, type EvaluationContext } from './evaluations.ts';
import { EVENT_COLUMNS, fromEventRow, type StoredEvent } from './event-rows.ts';
import { appendEvents, type IdentityContext } from './identities.ts';
import { pruneEvaluations } from './prune.ts';
import { pruneTelemetry } from './remove-sessions.ts';
import { appendScores, fromScoreRow, SCORE_COLUMNS, type ScoreRow } from './session-scores.ts';
import {
  appendReports,
  fromReportRow,
  REPORT_COLUMNS,
  type ReportRow,
  type SessionContext,
} from './signals.ts';
import { exportTelemetry, restoreEvents, restoreHeads } from './telemetry-upkeep.ts';
import { appendVerdicts } from './verdicts.ts';

type UpkeepContext = EvaluationContext & IdentityContext & SessionContext;

export function createUpkeep(context: UpkeepContext): Upkeep {
  const { connection, queue } = context;
  return {
    prune: (policy, now) =>
      queue.run(async () => {
        const pruned: Pruned = {
          evaluations: 0,
          reputationEvents: 0,
          auditEntries: 0,
          sessionEvents: 0,
          signalReports: 0,
          sessionScores: 0,
        };
        const { evaluationsMs, reputationEventsMs, auditMs, sessionEventsMs } = policy;
        if (evaluationsMs !== null) {
          pruned.evaluations = await pruneEvaluations(connection, now - evaluationsMs);
        }
        if (reputationEventsMs !== null) {
          const old = `timestamp < fromUnixTimestamp64Milli(toInt64(${Math.trunc(now - reputationEventsMs)}))`;
          await connection.command(
            `INSERT INTO identity_marks (org_id, identity_id, day, touched_at)
             SELECT DISTINCT org_id, identity_id, toInt32(floor(toUnixTimestamp64Milli(timestamp) / 86400000)), now64(3)
             FROM event_ids WHERE ${old}`,
          );
          pruned.reputationEvents = await removeCounted(connection, ['reputation_events', 'event_ids'], old);
        }
        if (auditMs !== null) {
          pruned.auditEntries = await removeCounted(connection, ['audit'], `at < ${now - auditMs}`);
        }
        if (policy.signalsMs !== null) {
          const before = Math.trunc(now - policy.signalsMs);
          // All reports of a session lie on one shard, so each may look for itself.
          const old = `(org_id, session_id) IN (SELECT org_id, session_id FROM ${connection.localName('signal_reports')}
            GROUP BY org_id, session_id HAVING max(received_at) < ${before})`;
          pruned.signalReports = await removeCounted(connection, ['signal_reports'], old);
        }
        if (policy.sessionScoresMs !== null) {
          const old = `computed_at < ${now - policy.sessionScoresMs}`;
          pruned.sessionScores = await removeCounted(connection, ['session_scores'], old);
        }
        if (sessionEventsMs !== null) {
          pruned.sessionEvents = await pruneTelemetry(connection, now - sessionEventsMs);
        }
        return pruned;
      }),
    export: () => exportRows(connection),
    restore: (rows) =>
      restoreInBatches(rows, (batch) => context.queue.run(() => restoreBatch(context, batch))),
    // ClickHouse has its own BACKUP, which copies whole parts.
    backup: null,
  };
}

/** Removes rows from tables that hold the same ones, and says how many the first had. */
async function removeCounted(connection: Connection, tables: readonly string[], where: string) {
  const [row] = await connection.query<{ count: number }>(
    `SELECT toFloat64(count()) AS count FROM ${tables[0]} WHERE ${where}`,
  );
  if (!row || row.count === 0) return 0;
  for (const table of tables) await connection.delete(table, where);
  return row.count;
}

/** Each table is read as it stood when its turn came; there is no moment that holds for all. */
async function* exportRows(connection: Connection): AsyncGenerator<LedgerRow> {
  for (const row of await listOrgs(connection)) yield { kind: 'org', row };
  for (const row of await listKeys(connection)) yield { kind: 'key', row };
  yield* exportAgents(connection);
  const evaluations = connection.stream<StoredRow & { org_id: string; voided: [number, string] }>(
    `SELECT org_id, ${EVALUATION_COLUMNS}, if(voided_id = '', [], [(voided_at, reason)]) AS void
     FROM (
       SELECT * FROM evaluations ORDER BY received_at, place, evaluation_id LIMIT 1 BY org_id, evaluation_id
     ) AS evaluations LEFT JOIN (
       SELECT org_id, evaluation_id AS voided_id, voided_at, reason FROM voids
       ORDER BY voided_at, reason LIMIT 1 BY org_id, evaluation_id
     ) AS voids ON voids.org_id = evaluations.org_id AND voided_id = evaluations.evaluation_id
     ORDER BY evaluations.received_at, place, evaluation_id`,
  );
  for await (const row of evaluations) {
    yield { kind: 'evaluation', orgId: row.org_id, row: fromRow(row) };
  }
  const events = connection.stream<StoredEvent & { org_id: string }>(
    `SELECT org_id, ${EVENT_COLUMNS} FROM reputation_events
     ORDER BY org_id, at, event_id, revision LIMIT 1 BY org_id, event_id, revision`,
  );
  for await (const row of events) {
    yield { kind: 'reputation_event', orgId: row.org_id, row: fromEventRow(row) };
  }
  yield* exportSessions(connection);
  yield* exportTelemetry(connection);
  const audit = connection.stream<AuditRow>(
    `SELECT org_id, ${AUDIT_COLUMNS} FROM audit ORDER BY audit.recorded_at, place, audit_id LIMIT 1 BY org_id, audit_id`,
  );
  for await (const row of audit) yield { kind: 'audit', orgId: row.org_id, row: fromAuditRow(row) };
  for (const step of await readSteps(connection, { where: 'true', further: 'ORDER BY org_id, kind, id' })) {
    yield { kind: 'document', orgId: step.org_id, row: toDocument(step) };
  }
}

async function* exportSessions(connection: Connection): AsyncGenerator<LedgerRow> {
  const reports = connection.stream<ReportRow>(
    `SELECT ${REPORT_COLUMNS} FROM signal_reports ORDER BY signal_reports.received_at, place`,
  );
  for await (const row of reports)
    yield { kind: 'signal_report', orgId: row.org_id, row: fromReportRow(row) };
  const scores = connection.stream<ScoreRow>(
    `SELECT ${SCORE_COLUMNS} FROM session_scores ORDER BY session_scores.recorded_at, place
     LIMIT 1 BY org_id, run_id, session_id, metric`,
  );
  for await (const row of scores) yield { kind: 'session_score', orgId: row.org_id, row: fromScoreRow(row) };
}

async function* exportAgents(connection: Connection): AsyncGenerator<LedgerRow> {
  const agents = await readAgents(connection, { where: 'true' });
  const prunes = await connection.query<{ org_id: string; agent_id: string; pruned: number }>(
    'SELECT org_id, agent_id, toFloat64(max(pruned)) AS pruned FROM agent_prunes GROUP BY org_id, agent_id',
  );
  const pruned = new Map(prunes.map((row) => [`${row.org_id}\n${row.agent_id}`, row.pruned]));
  for (const { orgId, version: _, ...agent } of agents) {
    const prunedEvaluations = pruned.get(`${orgId}\n${agent.agentId}`) ?? 0;
    yield { kind: 'agent', orgId, row: { ...agent, prunedEvaluations } };
  }
}

/** Restores rows of any kind; answers how many were not there before. */
async function restoreBatch(context: UpkeepContext, batch: readonly LedgerRow[]): Promise<number> {
  const { connection } = context;
  let restored = 0;
  for (const item of batch) {
    if (item.kind === 'org' && (await insertOrg(connection, item.row))) restored++;
    if (item.kind === 'key' && (await insertKey(connection, item.row))) restored++;
    if (item.kind === 'document' && (await restoreDocument(connection, item))) restored++;
  }
  restored += await restoreAgents(
    connection,
    batch.filter((item) => item.kind === 'agent'),
  );
  const evaluations = toGroup(batch.filter((item) => item.kind === 'evaluation'));
  for (const { accepted } of evaluations.length > 0 ? await appendEvaluations(context, evaluations) : []) {
    restored += accepted;
  }
  const events = toGroup(batch.filter((item) => item.kind === 'reputation_event'));
  for (const { accepted } of events.length > 0 ? await appendEvents(context, events) : []) {
    restored += accepted;
  }
  for (const brought of toGroup(batch.filter((item) => item.kind === 'signal_report'))) {
    restored += (await appendReports(context, brought)).accepted;
  }
  for (const brought of toGroup(batch.filter((item) => item.kind === 'session_score'))) {
    restored += (await appendScores(context, brought)).accepted;
  }
  for (const brought of toGroup(batch.filter((item) => item.kind === 'session_head'))) {
    restored += await restoreHeads(connection, brought);
  }
  for (const brought of toGroup(batch.filter((item) => item.kind === 'session_event'))) {
    restored += await restoreEvents(connection, brought);
  }
  for (const brought of toGroup(batch.filter((item) => item.kind === 'session_verdict'))) {
    restored += (await appendVerdicts(connection, brought)).accepted;
  }
  return (
    restored +
    (await restoreAudit(
      context,
      batch.filter((item) => item.kind === 'audit'),
    ))
  );
}

async function restoreAgents(
  connection: Connection,
  items: readonly Extract<LedgerRow, { kind: 'agent' }>[],
): Promise<number> {
  if (items.length === 0) return 0;
  const present = await readAgents(connection, {
    where: 'agent_id IN {ids:Array(String)}',
    parameters: { ids: items.map(({ row }) => row.agentId) },
  });
  const known = new Set(present.map(({ orgId, agentId }) => `${orgId}\n${agentId}`));
  const fresh = items.filter(({ orgId, row }) => !known.has(`${orgId}\n${row.agentId}`));
  const pruned = fresh.filter(({ row }) => row.prunedEvaluations > 0);
  // What retention had removed goes first: of an agent that is not there it says nothing.
  await connection.insert(
    'agent_prunes',
    pruned.map(({ orgId, row }) => ({
      org_id: orgId,
      agent_id: row.agentId,
      pruned: row.prunedEvaluations,
      upto_at: 0,
      upto_place: 0,
    })),
  );
  await insertChange(connection, ...fresh.map(({ orgId, row }) => ({ ...row, orgId, version: 1 })));
  return fresh.length;
}

async function restoreAudit(
  { connection, log }: UpkeepContext,
  items: readonly { orgId: string; row: AuditEntry }[],
): Promise<number> {
  if (items.length === 0) return 0;
  const present = await connection.query<{ org_id: string; audit_id: string }>(
    'SELECT org_id, audit_id FROM audit WHERE audit_id IN {ids:Array(String)}',
    { ids: items.map(({ row }) => row.auditId) },
  );
  const known = new Set(present.map(({ org_id, audit_id }) => `${org_id}\n${audit_id}`));
  const fresh = items.filter(({ orgId, row }) => !known.has(`${orgId}\n${row.auditId}`));
  await log.send(fresh.map(({ orgId, row }) => log.toRow(orgId, row)));
  return fresh.length;
}

/** A document that was deleted here may come back; one that is there is left alone. */
async function restoreDocument(
  connection: Connection,
  { orgId, row }: Extract<LedgerRow, { kind: 'document' }>,
): Promise<boolean> {
  const key = { orgId, kind: row.kind, id: row.id };
  const last = await readLast(connection, key);
  return (last?.version ?? 0) === 0 && insertStep(connection, key, { last, next: row });
}

/** By org, as appending takes it. */
function toGroup<T>(items: readonly { orgId: string; row: T }[]): { orgId: string; batch: T[] }[] {
  const groups = new Map<string, T[]>();
  for (const { orgId, row } of items) {
    const batch = groups.get(orgId);
    if (batch) batch.push(row);
    else groups.set(orgId, [row]);
  }
  return [...groups].map(([orgId, batch]) => ({ orgId, batch }));
}
