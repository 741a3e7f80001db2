/** Sessions in plain arrays: the part of the memory store that keeps reports and scores. */
import { compareIds } from './compare-ids.ts';
import { foldReports, isKnownReport } from './fold-reports.ts';
import { pageOf } from './memory-page.ts';
import type {
  ScoreBucket,
  ScoreFilter,
  SessionFilter,
  SessionScores,
  SessionTraces,
  Signals,
  StoredEvaluation,
  StoredReport,
  StoredSessionScore,
} from './store.ts';

/** What of an org's ledger belongs to its sessions; both lists in order of arrival. */
export interface SessionLedger {
  reports: StoredReport[];
  scores: StoredSessionScore[];
  evaluations: readonly StoredEvaluation[];
}

export function createMemorySignals(
  ledgerOf: (orgId: string) => SessionLedger,
  { clock, meet }: { clock: () => number; meet(orgId: string, agentId: string, at: number): void },
): Signals {
  const reportsOn = (orgId: string, sessionId: string) =>
    ledgerOf(orgId).reports.filter((report) => report.sessionId === sessionId);
  return {
    async append(orgId, batch) {
      let unchanged = 0;
      for (const report of batch) {
        if (isKnownReport(reportsOn(orgId, report.sessionId), report)) {
          unchanged++;
          continue;
        }
        const receivedAt = clock();
        if (report.agentId !== null) meet(orgId, report.agentId, receivedAt);
        ledgerOf(orgId).reports.push(structuredClone({ ...report, receivedAt }));
      }
      return { accepted: batch.length - unchanged, unchanged };
    },
    async read(orgId, sessionIds) {
      const found = new Map<string, SessionTraces>();
      for (const sessionId of sessionIds) {
        const reports = reportsOn(orgId, sessionId);
        if (reports.length > 0) found.set(sessionId, foldReports(sessionId, reports));
      }
      return found;
    },
    async readAt(orgId, sessionId, revision) {
      const reports = reportsOn(orgId, sessionId);
      return revision < 1 || reports.length < revision
        ? null
        : foldReports(sessionId, reports.slice(0, revision));
    },
    async history(orgId, sessionId, { cursor, limit }) {
      const reports = reportsOn(orgId, sessionId).map((report, place) => ({ report, place }));
      const older = reports.filter(({ place }) => cursor == null || place < Number(cursor)).reverse();
      return pageOf(
        older,
        limit,
        ({ place }) => String(place),
        ({ report }) => structuredClone(report),
      );
    },
    async select(orgId, filter, limit) {
      const { reports, evaluations } = ledgerOf(orgId);
      const failed = new Set(
        evaluations.filter((one) => !one.passed && one.voided === null).map(({ sessionId }) => sessionId),
      );
      return [...new Set(reports.map(({ sessionId }) => sessionId))]
        .sort(compareIds)
        .map((sessionId) => foldReports(sessionId, reportsOn(orgId, sessionId)))
        .filter((session) => isSelected(session, filter, failed.has(session.sessionId)))
        .slice(0, limit)
        .map(({ sessionId, traces }) => ({ sessionId, traces: traces.length }));
    },
  };
}

export function createMemoryScores(ledgerOf: (orgId: string) => SessionLedger): SessionScores {
  const latest = (orgId: string, { runId }: ScoreFilter = {}) => {
    const byKey = new Map<string, StoredSessionScore>();
    for (const score of ledgerOf(orgId).scores) {
      if (runId === undefined || score.runId === runId)
        byKey.set(`${score.metric}\n${score.sessionId}`, score);
    }
    return [...byKey.values()];
  };
  return {
    async append(orgId, batch) {
      const { scores } = ledgerOf(orgId);
      let duplicates = 0;
      for (const score of batch) {
        if (scores.some((one) => isSame(one, score))) duplicates++;
        else scores.push(structuredClone(score));
      }
      return { accepted: batch.length - duplicates, duplicates };
    },
    async list(orgId, filter, { cursor, limit }) {
      const placed = ledgerOf(orgId).scores.map((score, place) => ({ score, place }));
      const older = placed
        .filter(({ score, place }) => matches(score, filter) && (cursor == null || place < Number(cursor)))
        .reverse();
      return pageOf(
        older,
        limit,
        ({ place }) => String(place),
        ({ score }) => structuredClone(score),
      );
    },
    async worst(orgId, filter, { cursor, limit }) {
      const sorted = latest(orgId, filter)
        .filter((score) => matches(score, filter))
        .sort(worstFirst);
      const start = cursor == null ? 0 : Number(cursor);
      const numbered = sorted.map((score, place) => ({ score, place })).slice(start);
      return pageOf(
        numbered,
        limit,
        ({ place }) => String(place + 1),
        ({ score }) => structuredClone(score),
      );
    },
    latestOf: async (orgId, sessionIds) =>
      structuredClone(latest(orgId).filter(({ sessionId }) => sessionIds.includes(sessionId))).sort(
        (a, b) => compareIds(a.sessionId, b.sessionId) || compareIds(a.metric, b.metric),
      ),
    async aggregate(orgId, filter, spanMs) {
      const buckets = new Map<string, ScoreBucket>();
      for (const score of latest(orgId, filter).filter((one) => matches(one, filter))) {
        const startsAt = Math.floor(score.sessionAt / spanMs) * spanMs;
        const key = `${score.metric}\n${startsAt}`;
        const bucket = buckets.get(key) ?? emptyBucket(score.metric, startsAt);
        buckets.set(key, bucket);
        count(bucket, score);
      }
      return [...buckets.values()].sort((a, b) => a.startsAt - b.startsAt || compareIds(a.metric, b.metric));
    },
    scoredBy: async (orgId, runId) =>
      new Set(
        ledgerOf(orgId)
          .scores.filter((score) => score.runId === runId)
          .map(({ sessionId }) => sessionId),
      ),
    async removeRun(orgId, runId) {
      const ledger = ledgerOf(orgId);
      const kept = ledger.scores.filter((score) => score.runId !== runId);
      const removed = ledger.scores.length - kept.length;
      ledger.scores = kept;
      return removed;
    },
  };
}

export function isSame(a: StoredSessionScore, b: StoredSessionScore): boolean {
  return a.runId === b.runId && a.sessionId === b.sessionId && a.metric === b.metric;
}

function isSelected(session: SessionTraces, filter: SessionFilter, isFailed: boolean): boolean {
  const { sessionIds, agentId, tags = [], from, to, hasErrors, tracesMin = 0 } = filter;
  const erred = isFailed || session.traces.some(({ signals }) => (signals.tool_correctness ?? 1) < 1);
  return (
    (sessionIds === undefined || sessionIds.includes(session.sessionId)) &&
    (agentId === undefined || session.agentId === agentId) &&
    tags.every((tag) => session.tags.includes(tag)) &&
    (from === undefined || session.lastAt >= from) &&
    (to === undefined || session.lastAt < to) &&
    (hasErrors === undefined || erred === hasErrors) &&
    session.traces.length >= tracesMin
  );
}

function matches(one: StoredSessionScore, filter: ScoreFilter): boolean {
  const { sessionId, agentId, metric, runId, tag, passed, evidence, from, to } = filter;
  return (
    (sessionId === undefined || one.sessionId === sessionId) &&
    (agentId === undefined || one.agentId === agentId) &&
    (metric === undefined || one.metric === metric) &&
    (runId === undefined || one.runId === runId) &&
    (tag === undefined || one.tags.includes(tag)) &&
    (passed === undefined || one.passed === passed) &&
    (evidence === undefined || one.evidence === evidence) &&
    (from === undefined || one.sessionAt >= from) &&
    (to === undefined || one.sessionAt < to)
  );
}

function worstFirst(a: StoredSessionScore, b: StoredSessionScore): number {
  return (
    Number(a.evidence === 'none') - Number(b.evidence === 'none') ||
    a.score - b.score ||
    compareIds(a.sessionId, b.sessionId) ||
    compareIds(a.metric, b.metric)
  );
}

function emptyBucket(metric: ScoreBucket['metric'], startsAt: number): ScoreBucket {
  const none = { sessions: 0, withoutEvidence: 0, passed: 0, scoreSum: 0, scoreMin: 1 };
  return { metric, startsAt, ...none, tenths: new Array(10).fill(0) };
}

function count(bucket: ScoreBucket, { score, passed, evidence }: StoredSessionScore): void {
  if (evidence === 'none') {
    bucket.withoutEvidence++;
    return;
  }
  bucket.sessions++;
  if (passed) bucket.passed++;
  bucket.scoreSum += score;
  bucket.scoreMin = Math.min(bucket.scoreMin, score);
  const tenth = Math.min(9, Math.floor(score * 10));
  bucket.tenths[tenth] = (bucket.tenths[tenth] ?? 0) + 1;
}
