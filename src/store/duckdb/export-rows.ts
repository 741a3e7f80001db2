/** Everything in the ledger, as it stood at one moment. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ApiKey, AuditEntry, LedgerRow, Org } from '../store.ts';
import { KEY_COLUMNS, ORG_COLUMNS } from './accounts.ts';
import { AUDIT_COLUMNS } from './audit.ts';
import { DOCUMENT_COLUMNS, type DocumentRow, fromDocumentRow } from './documents.ts';
import { fromRow, STORED_COLUMNS, type StoredRow } from './evaluation-rows.ts';
import { FROM_EVALUATIONS } from './evaluations.ts';
import { EVENT_COLUMNS, type EventRow, fromEventRow } from './identities.ts';
import { query, streamRows } from './query.ts';
import { fromScoreRow, SCORE_COLUMNS, type ScoreRow } from './session-scores.ts';
import { fromReportRow, REPORT_COLUMNS, type ReportRow } from './signals.ts';
import { exportTelemetry } from './telemetry-upkeep.ts';
import type { UpkeepContext } from './upkeep-context.ts';

export async function* exportRows({
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
