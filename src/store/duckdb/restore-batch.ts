import { ReputationWindow } from '../../core/reputation-window.ts';
import type { LedgerRow } from '../store.ts';
import { INSERT_KEY, INSERT_ORG } from './accounts.ts';
import { writeAudit } from './audit.ts';
import { insertDocument, versionOf } from './documents.ts';
import { appendEvaluations } from './evaluations.ts';
import { appendEvents } from './identities.ts';
import { appendScores } from './session-scores.ts';
import { appendReports } from './signals.ts';
import { restoreEvents, restoreHeads } from './telemetry-upkeep.ts';
import type { Transaction } from './transaction.ts';
import type { UpkeepContext } from './upkeep-context.ts';
import { appendVerdicts } from './verdicts.ts';

/** Restores rows of any kind in one transaction; answers how many were not there before. */
export async function restoreBatch(
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
