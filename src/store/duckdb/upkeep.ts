import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { ReputationWindow } from '../../core/reputation-window.ts';
import { restoreInBatches } from '../restore-in-batches.ts';
import type { ApiKey, AuditEntry, LedgerRow, Org, Pruned, Upkeep } from '../store.ts';
import { INSERT_KEY, INSERT_ORG, KEY_COLUMNS, ORG_COLUMNS } from './accounts.ts';
import { AUDIT_COLUMNS, writeAudit } from './audit.ts';
import {
  DOCUMENT_COLUMNS,
  type DocumentRow,
  fromDocumentRow,
  insertDocument,
  versionOf,
} from './documents.ts';
import { fromRow, STORED_COLUMNS, type StoredRow } from './evaluation-rows.ts';
import { appendEvaluations, type EvaluationContext, FROM_EVALUATIONS } from './evaluations.ts';
import {
  appendEvents,
  EVENT_COLUMNS,
  type EventRow,
  fromEventRow,
  type IdentityContext,
} from './identities.ts';
import type { Places } from './places.ts';
import { query, streamRows } from './query.ts';
import {
  appendScores,
  fromScoreRow,
  SCORE_COLUMNS,
  type ScoreContext,
  type ScoreRow,
} from './session-scores.ts';
import type { TelemetryContext } from './sessions.ts';
import {
  appendReports,
  fromReportRow,
  REPORT_COLUMNS,
  type ReportRow,
  type SignalContext,
} from './signals.ts';
import {
  exportTelemetry,
  joinStoredHeads,
  pruneTelemetry,
  restoreEvents,
  restoreHeads,
} from './telemetry-upkeep.ts';
import type { Transaction } from './transaction.ts';
import { appendVerdicts } from './verdicts.ts';

interface UpkeepContext {
  /** A connection of its own for each export, so that it sees one moment however long it takes. */
  connect(): Promise<DuckDBConnection>;
  places: Places;
  evaluations: EvaluationContext;
  identities: IdentityContext;
  signals: SignalContext;
  scores: ScoreContext;
  telemetry: TelemetryContext;
}

export function createUpkeep(context: UpkeepContext): Upkeep {
  const { queue, directory } = context.evaluations;
  return {
    prune: (policy, now) =>
      queue.write(async (transaction) => {
        const pruned: Pruned = {
          evaluations: 0,
          reputationEvents: 0,
          auditEntries: 0,
          sessionEvents: 0,
          signalReports: 0,
          sessionScores: 0,
        };
        const forgotten = new Map<number, number>();
        let saved = () => {};
        await context.places.keep(transaction);
        if (policy.evaluationsMs !== null) {
          for (const { agentNo, removed, counting } of await pruneEvaluations(
            transaction,
            now - policy.evaluationsMs,
          )) {
            pruned.evaluations += removed;
            forgotten.set(agentNo, counting);
          }
          // Their lifetime counts were in the rows that are gone, as far as they lie beyond the watermark.
          saved = await context.evaluations.windows.save(transaction, [...forgotten.keys()]);
        }
        if (policy.reputationEventsMs !== null) {
          const before = now - policy.reputationEventsMs;
          pruned.reputationEvents = await removeCounted(
            transaction,
            `reputation_events WHERE timestamp < ${before}`,
          );
          await transaction.run(`DELETE FROM moved_events WHERE timestamp < ${before}`);
          await context.identities.runs.regather(transaction, before);
        }
        if (policy.auditMs !== null) {
          pruned.auditEntries = await removeCounted(
            transaction,
            `audit WHERE happened_at < ${now - policy.auditMs}`,
          );
        }
        if (policy.signalsMs !== null) {
          const before = now - policy.signalsMs;
          pruned.signalReports = await removeCounted(
            transaction,
            `signal_reports WHERE (org_no, session_id) IN (
               SELECT (org_no, session_id) FROM signal_reports GROUP BY org_no, session_id HAVING max(received_at) < ${before})`,
          );
        }
        if (policy.sessionScoresMs !== null) {
          const before = now - policy.sessionScoresMs;
          pruned.sessionScores = await removeCounted(
            transaction,
            `session_scores WHERE computed_at < ${before}`,
          );
        }
        if (policy.sessionEventsMs !== null) {
          pruned.sessionEvents = await pruneTelemetry(transaction, now - policy.sessionEventsMs);
        }
        await joinStoredHeads(transaction, context.telemetry);
        return () => {
          saved();
          context.telemetry.recent.clear();
          for (const entry of [...directory.all()]) {
            const prunedEvaluations = entry.prunedEvaluations + (forgotten.get(entry.agentNo) ?? 0);
            directory.replace({ ...entry, prunedEvaluations });
          }
          return pruned;
        };
      }),
    export: () => exportRows(context),
    restore: (rows) =>
      restoreInBatches(rows, (batch) =>
        context.evaluations.queue.write((transaction) => restoreBatch(transaction, context, batch)),
      ),
    backup: (path) => backUp(path, context),
  };
}

async function removeCounted(transaction: Transaction, which: string): Promise<number> {
  return (await transaction.query(`DELETE FROM ${which} RETURNING 1`)).length;
}

/** Removes old evaluations but for those in a window, and keeps their number with the agent. */
async function pruneEvaluations(transaction: Transaction, before: number) {
  await transaction.run(`
    CREATE OR REPLACE TEMP TABLE doomed AS
    SELECT seq, agent_no, counting FROM (
      SELECT seq, agent_no, received_at, counting,
        row_number() OVER (PARTITION BY agent_no, counting ORDER BY seq DESC) AS place
      FROM (SELECT e.seq, agent_no, received_at, counts AND v.seq IS NULL AS counting ${FROM_EVALUATIONS})
    ) WHERE received_at < ${before} AND NOT (counting AND place <= ${LIMITS.windowSize})`);
  await transaction.run('DELETE FROM evaluations WHERE seq IN (SELECT seq FROM doomed)');
  await transaction.run('DELETE FROM voids WHERE seq IN (SELECT seq FROM doomed)');
  const removed = await transaction.query<{ agentNo: number; removed: number; counting: number }>(
    `SELECT agent_no AS "agentNo", count(*)::DOUBLE AS removed, count(*) FILTER (counting)::DOUBLE AS counting
     FROM doomed GROUP BY agent_no`,
  );
  await transaction.run(`
    UPDATE agents SET pruned_evaluations = pruned_evaluations + d.counting
    FROM (SELECT agent_no, count(*) FILTER (counting) AS counting FROM doomed GROUP BY agent_no) d
    WHERE d.agent_no = agents.agent_no`);
  await transaction.run('DROP TABLE doomed');
  return removed;
}

async function* exportRows({
  connect,
  evaluations: { directory, names },
  identities,
  signals,
  scores,
  telemetry,
}: UpkeepContext): AsyncGenerator<LedgerRow> {
  const connection = await connect();
  try {
    await connection.run('BEGIN TRANSACTION');
    const agents = structuredClone([...directory.all()]);
    const nameOf = new Map(agents.map(({ agentNo, agentId, orgId }) => [agentNo, { agentId, orgId }]));
    for (const row of await query<Org>(connection, `SELECT ${ORG_COLUMNS} FROM orgs`))
      yield { kind: 'org', row };
    for (const row of await query<ApiKey>(connection, `SELECT ${KEY_COLUMNS} FROM api_keys`))
      yield { kind: 'key', row };
    for (const { agentNo: _, orgId, ...row } of agents) yield { kind: 'agent', orgId, row };
    const stored = streamRows<StoredRow>(
      connection,
      `SELECT ${STORED_COLUMNS} ${FROM_EVALUATIONS} ORDER BY e.seq`,
    );
    for await (const row of stored) {
      const agent = nameOf.get(row.agentNo);
      if (agent) yield { kind: 'evaluation', orgId: agent.orgId, row: fromRow(row, agent.agentId, names) };
    }
    const events = streamRows<EventRow>(connection, `SELECT ${EVENT_COLUMNS} FROM reputation_events`);
    for await (const row of events) yield { kind: 'reputation_event', ...fromEventRow(row, identities) };
    yield* exportSessions(connection, { signals, scores });
    yield* exportTelemetry(connection, telemetry);
    const audit = streamRows<AuditEntry & { orgId: string }>(
      connection,
      `SELECT org_id AS "orgId", ${AUDIT_COLUMNS} FROM audit ORDER BY seq`,
    );
    for await (const { orgId, ...row } of audit) yield { kind: 'audit', orgId, row };
    const documents = streamRows<DocumentRow & { orgId: string }>(
      connection,
      `SELECT org_id AS "orgId", ${DOCUMENT_COLUMNS} FROM documents`,
    );
    for await (const { orgId, ...row } of documents) {
      yield { kind: 'document', orgId, row: fromDocumentRow(row) };
    }
  } finally {
    await connection.run('ROLLBACK');
    connection.closeSync();
  }
}

async function* exportSessions(
  connection: DuckDBConnection,
  { signals, scores }: Pick<UpkeepContext, 'signals' | 'scores'>,
): AsyncGenerator<LedgerRow> {
  const { names } = signals;
  const orgOf = (orgNo: number) => names.textOf(orgNo) ?? '';
  const reports = `SELECT ${REPORT_COLUMNS} FROM signal_reports ORDER BY seq`;
  for await (const row of streamRows<ReportRow>(connection, reports)) {
    yield { kind: 'signal_report', orgId: orgOf(row.orgNo), row: fromReportRow(row, signals) };
  }
  const scored = `SELECT ${SCORE_COLUMNS} FROM session_scores ORDER BY seq`;
  for await (const row of streamRows<ScoreRow>(connection, scored)) {
    yield { kind: 'session_score', orgId: orgOf(row.orgNo), row: fromScoreRow(row, scores) };
  }
}

/** Written aside and moved into place whole: a copy that broke off is no copy. */
async function backUp(path: string, { connect }: UpkeepContext): Promise<void> {
  if (existsSync(path))
    throw new RenownError('unwritable_output', `${path} exists already. Name another file.`);
  const alias = `backup_${randomBytes(8).toString('hex')}`;
  const aside = `${path}.${alias}`;
  const connection = await connect();
  try {
    const [own] = await query<{ name: string }>(connection, 'SELECT current_database() AS name');
    await connection.run(`ATTACH '${aside.replaceAll("'", "''")}' AS ${alias}`);
    try {
      await connection.run(`COPY FROM DATABASE "${own?.name.replaceAll('"', '""')}" TO ${alias}`);
    } finally {
      await connection.run(`DETACH ${alias}`);
    }
    await rename(aside, path);
  } catch (cause) {
    throw new RenownError(
      'unwritable_output',
      `${path} could not be written: ${(cause as Error).message.split('\n')[0]}`,
      { cause },
    );
  } finally {
    connection.closeSync();
    await rm(aside, { force: true });
    await rm(`${aside}.wal`, { force: true });
  }
}

/** Restores rows of any kind in one transaction; answers how many were not there before. */
async function restoreBatch(
  transaction: Transaction,
  { evaluations, identities, signals, scores, telemetry }: UpkeepContext,
  batch: readonly LedgerRow[],
): Promise<() => Promise<number>> {
  let restored = 0;
  const finishes: (() => Promise<number> | number)[] = [];
  for (const item of batch) {
    if (item.kind === 'org') {
      const { orgId } = item.row;
      if (await isNew(transaction, 'SELECT 1 FROM orgs WHERE org_id = $orgId', { orgId })) {
        await transaction.run(INSERT_ORG, { ...item.row });
        restored++;
      }
    } else if (item.kind === 'key') {
      const { keyId } = item.row;
      if (await isNew(transaction, 'SELECT 1 FROM api_keys WHERE key_id = $keyId', { keyId })) {
        await transaction.run(INSERT_KEY, { ...item.row });
        restored++;
      }
    } else if (item.kind === 'audit') {
      const { auditId } = item.row;
      if (await isNew(transaction, 'SELECT 1 FROM audit WHERE audit_id = $auditId', { auditId })) {
        await writeAudit(transaction, item.orgId, item.row);
        restored++;
      }
    } else if (item.kind === 'document') {
      const { orgId, row } = item;
      if ((await versionOf(transaction, { orgId, kind: row.kind, id: row.id })) === 0) {
        await insertDocument(transaction, orgId, row);
        restored++;
      }
    } else if (item.kind === 'agent' && !evaluations.directory.find(item.orgId, item.row.agentId)) {
      const { agentNo } = evaluations.directory.ensure(transaction, item.orgId, item.row);
      const window = ReputationWindow.from([], item.row.prunedEvaluations);
      await evaluations.windows.replace(transaction, agentNo, { window, seq: -1, at: null });
      restored++;
    }
  }
  for (const [orgId, rows] of byOrg(batch.filter((item) => item.kind === 'evaluation'))) {
    const finish = await appendEvaluations(transaction, evaluations, { orgId, batch: rows });
    finishes.push(async () => (await finish()).accepted);
  }
  for (const [orgId, rows] of byOrg(batch.filter((item) => item.kind === 'reputation_event'))) {
    const finish = await appendEvents(transaction, identities, { orgId, batch: rows });
    finishes.push(() => finish().accepted);
  }
  for (const [orgId, rows] of byOrg(batch.filter((item) => item.kind === 'signal_report'))) {
    const finish = await appendReports(transaction, signals, { orgId, batch: rows });
    finishes.push(() => finish().accepted);
  }
  for (const [orgId, rows] of byOrg(batch.filter((item) => item.kind === 'session_score'))) {
    const finish = await appendScores(transaction, scores, { orgId, batch: rows });
    finishes.push(() => finish().accepted);
  }
  for (const [orgId, rows] of byOrg(batch.filter((item) => item.kind === 'session_head'))) {
    restored += await restoreHeads(transaction, telemetry, { orgId, batch: rows });
  }
  for (const [orgId, rows] of byOrg(batch.filter((item) => item.kind === 'session_event'))) {
    restored += await restoreEvents(transaction, telemetry, { orgId, batch: rows });
  }
  for (const [orgId, rows] of byOrg(batch.filter((item) => item.kind === 'session_verdict'))) {
    const finish = await appendVerdicts(transaction, telemetry, { orgId, batch: rows });
    finishes.push(() => finish().accepted);
  }
  return async () => {
    for (const finish of finishes) restored += await finish();
    return restored;
  };
}

async function isNew(
  transaction: Transaction,
  sql: string,
  values: Record<string, string>,
): Promise<boolean> {
  return (await transaction.query(sql, values)).length === 0;
}

function byOrg<T>(items: readonly { orgId: string; row: T }[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const { orgId, row } of items) {
    const rows = groups.get(orgId);
    if (rows) rows.push(row);
    else groups.set(orgId, [row]);
  }
  return groups;
}
