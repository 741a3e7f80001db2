/** Pruning, export and restoring of the oracle. */
import { LIMITS } from '../core/limits.ts';
import { isKnownReport } from './fold-reports.ts';
import { isSame, type SessionLedger } from './memory-sessions.ts';
import {
  forgetSessions,
  keepEvent,
  keepHead,
  keepVerdict,
  latestOf,
  type TelemetryLedger,
} from './memory-telemetry.ts';
import { checkRows } from './restore-in-batches.ts';
import type * as port from './store.ts';

/** What an org has written, in plain lists. */
export interface OrgLedger extends SessionLedger, TelemetryLedger {
  agents: Map<string, port.AgentRow>;
  /** In order of arrival. */
  evaluations: (port.StoredEvaluation & { seq: number })[];
  /** All revisions of all events. */
  events: port.ReputationEvent[];
  audit: (port.AuditEntry & { seq: number })[];
  documents: port.Document[];
}

interface Everything {
  orgs: Map<string, port.Org>;
  keys: port.ApiKey[];
  ledgers: Map<string, OrgLedger>;
}

interface Ways {
  ledgerOf(orgId: string): OrgLedger;
  countingOf(orgId: string, agentId: string): OrgLedger['evaluations'];
  nextSeq(): number;
}

export function createMemoryUpkeep(
  { orgs, keys, ledgers }: Everything,
  { ledgerOf, countingOf, nextSeq }: Ways,
): port.Upkeep {
  /** False when the row is there already. */
  function restoreRow(item: port.LedgerRow): boolean {
    if (item.kind === 'org') return !orgs.has(item.row.orgId) && Boolean(orgs.set(item.row.orgId, item.row));
    if (item.kind === 'key')
      return !keys.some(({ keyId }) => keyId === item.row.keyId) && keys.push(item.row) > 0;
    const ledger = ledgerOf(item.orgId);
    if (item.kind === 'agent') {
      return !ledger.agents.has(item.row.agentId) && Boolean(ledger.agents.set(item.row.agentId, item.row));
    }
    if (item.kind === 'evaluation') {
      const { row } = item;
      if (ledger.evaluations.some(({ evaluationId }) => evaluationId === row.evaluationId)) return false;
      return ledger.evaluations.push({ ...row, seq: nextSeq() }) > 0;
    }
    if (item.kind === 'reputation_event') {
      const { row } = item;
      if (ledger.events.some((one) => one.eventId === row.eventId && one.revision === row.revision))
        return false;
      return ledger.events.push(row) > 0;
    }
    if (item.kind === 'signal_report') {
      const { row } = item;
      const own = ledger.reports.filter(({ sessionId }) => sessionId === row.sessionId);
      return !isKnownReport(own, row) && ledger.reports.push(row) > 0;
    }
    if (item.kind === 'session_score') {
      const { row } = item;
      return !ledger.scores.some((one) => isSame(one, row)) && ledger.scores.push(row) > 0;
    }
    if (item.kind === 'session_head') return keepHead(ledger, item.row);
    if (item.kind === 'session_event') return keepEvent(ledger, item.row);
    if (item.kind === 'session_verdict') return keepVerdict(ledger, item.row);
    if (item.kind === 'document') {
      const { row } = item;
      if (ledger.documents.some((one) => one.kind === row.kind && one.id === row.id)) return false;
      return ledger.documents.push(row) > 0;
    }
    if (ledger.audit.some(({ auditId }) => auditId === item.row.auditId)) return false;
    return ledger.audit.push({ ...item.row, seq: nextSeq() }) > 0;
  }

  return {
    async prune(policy, now) {
      const pruned = {
        evaluations: 0,
        reputationEvents: 0,
        auditEntries: 0,
        sessionEvents: 0,
        signalReports: 0,
        sessionScores: 0,
      };
      const isOld = (time: number, keptMs: number | null) => keptMs !== null && time < now - keptMs;
      for (const [orgId, ledger] of ledgers) {
        const inWindow = new Set(
          [...ledger.agents.keys()].flatMap((agentId) =>
            countingOf(orgId, agentId).slice(-LIMITS.windowSize),
          ),
        );
        const removed = ledger.evaluations.filter(
          (one) => isOld(one.receivedAt, policy.evaluationsMs) && !inWindow.has(one),
        );
        for (const one of removed) {
          const agent = ledger.agents.get(one.agentId);
          if (agent && one.counts && one.voided === null) agent.prunedEvaluations++;
        }
        ledger.evaluations = ledger.evaluations.filter((one) => !removed.includes(one));
        const events = ledger.events.filter(({ timestamp }) => !isOld(timestamp, policy.reputationEventsMs));
        const audit = ledger.audit.filter(({ at }) => !isOld(at, policy.auditMs));
        pruned.evaluations += removed.length;
        pruned.reputationEvents += ledger.events.length - events.length;
        pruned.auditEntries += ledger.audit.length - audit.length;
        pruned.sessionEvents += forgetSessions(ledger, ({ receivedAt }) =>
          isOld(receivedAt, policy.sessionEventsMs),
        );
        const fresh = new Set(
          ledger.reports.flatMap(({ sessionId, receivedAt }) =>
            isOld(receivedAt, policy.signalsMs) ? [] : [sessionId],
          ),
        );
        const reports = ledger.reports.filter(({ sessionId }) => fresh.has(sessionId));
        const scores = ledger.scores.filter(({ computedAt }) => !isOld(computedAt, policy.sessionScoresMs));
        pruned.signalReports += ledger.reports.length - reports.length;
        pruned.sessionScores += ledger.scores.length - scores.length;
        Object.assign(ledger, { events, audit, reports, scores });
      }
      return pruned;
    },
    async *export() {
      for (const row of [...orgs.values()]) yield { kind: 'org', row };
      for (const row of [...keys]) yield { kind: 'key', row: { ...row } };
      for (const [orgId, ledger] of structuredClone(ledgers)) {
        for (const row of ledger.agents.values()) yield { kind: 'agent', orgId, row };
        for (const { seq: _, ...row } of ledger.evaluations) yield { kind: 'evaluation', orgId, row };
        for (const row of ledger.events) yield { kind: 'reputation_event', orgId, row };
        for (const row of ledger.reports) yield { kind: 'signal_report', orgId, row };
        for (const row of ledger.scores) yield { kind: 'session_score', orgId, row };
        for (const row of ledger.heads) yield { kind: 'session_head', orgId, row };
        for (const row of ledger.told) yield { kind: 'session_event', orgId, row };
        for (const row of latestOf(ledger.verdicts)) yield { kind: 'session_verdict', orgId, row };
        for (const { seq: _, ...row } of ledger.audit) yield { kind: 'audit', orgId, row };
        for (const row of ledger.documents) yield { kind: 'document', orgId, row };
      }
    },
    async restore(rows) {
      const counts = { restored: 0, present: 0 };
      for await (const item of rows) {
        checkRows([item]);
        if (restoreRow(item)) counts.restored++;
        else counts.present++;
      }
      return counts;
    },
    backup: null,
  };
}
