/** What telemetry told, in plain arrays: the part of the memory store that keeps events and verdicts. */
import { ArrivalTimes } from './arrival-times.ts';
import { compareIds } from './compare-ids.ts';
import { inOrder, isKnownHead, joinHeads, markOf, reportsIn } from './event-reports.ts';
import { pageOf } from './memory-page.ts';
import type {
  BriefFilter,
  EventReport,
  SessionBrief,
  Sessions,
  StoredHead,
  StoredReport,
  StoredVerdict,
  VerdictFilter,
  Verdicts,
} from './store.ts';

export interface KeptEvent extends EventReport {
  sessionId: string;
  masque: string;
}

/** What of an org's ledger telemetry has told. */
export interface TelemetryLedger {
  /** One for each session and masque. */
  heads: StoredHead[];
  told: KeptEvent[];
  verdicts: StoredVerdict[];
  reports: StoredReport[];
}

export function createMemorySessions(
  ledgerOf: (orgId: string) => TelemetryLedger,
  {
    clock,
    meet,
    orgIds,
  }: {
    clock: () => number;
    meet(orgId: string, agentId: string, at: number): void;
    orgIds(): Iterable<string>;
  },
): Sessions {
  const arrivals = new ArrivalTimes(clock, 0);
  return {
    async append(orgId, telemetry) {
      const receivedAt = arrivals.next();
      const ledger = ledgerOf(orgId);
      for (const head of telemetry.sessions) {
        if (head.agent !== '') meet(orgId, head.agent, receivedAt);
        keepHead(ledger, { ...structuredClone(head), receivedAt });
      }
      for (const { head, report } of reportsIn(telemetry)) {
        keepEvent(ledger, { sessionId: head.sessionId, masque: head.masque, ...report });
      }
    },
    async read(orgId, sessionIds) {
      const { heads, told } = ledgerOf(orgId);
      return joinHeads(heads.filter(({ sessionId }) => sessionIds.includes(sessionId))).map((head) => ({
        head,
        events: inOrder(
          told
            .filter((one) => one.sessionId === head.sessionId && one.masque === head.masque)
            .map(({ sessionId: _, masque: _masque, ...report }) => report),
        ),
      }));
    },
    async list(orgId, filter, { cursor, limit }) {
      const position = ({ lastAt, sessionId }: SessionBrief) => `${lastAt}:${sessionId}`;
      const briefs = briefsOf(ledgerOf(orgId)).filter((brief) => matches(brief, filter));
      briefs.sort((a, b) => b.lastAt - a.lastAt || compareIds(b.sessionId, a.sessionId));
      const start = cursor == null ? 0 : briefs.findIndex((brief) => position(brief) === cursor) + 1;
      return pageOf(briefs.slice(start), limit, position, (brief) => brief);
    },
    async due(quietSince, limit) {
      const waiting = [...orgIds()].flatMap((orgId) => {
        const { heads, verdicts } = ledgerOf(orgId);
        return [...new Set(heads.map(({ sessionId }) => sessionId))].flatMap((sessionId) => {
          const own = heads.filter((head) => head.sessionId === sessionId);
          const receivedAt = Math.max(...own.map((head) => head.receivedAt));
          const judged = verdicts.filter((one) => one.sessionId === sessionId);
          const isJudged = judged.some((one) => one.receivedAt >= receivedAt);
          const isOver = own.some(({ ended }) => ended) || receivedAt <= quietSince;
          return isOver && !isJudged ? [{ orgId, sessionId, receivedAt }] : [];
        });
      });
      return waiting
        .sort((a, b) => a.receivedAt - b.receivedAt)
        .slice(0, limit)
        .map(({ orgId, sessionId }) => ({ orgId, sessionId }));
    },
  };
}

export function createMemoryVerdicts(ledgerOf: (orgId: string) => TelemetryLedger): Verdicts {
  const latest = (orgId: string) => latestOf(ledgerOf(orgId).verdicts);
  return {
    async append(orgId, batch) {
      const accepted = batch.filter((verdict) => keepVerdict(ledgerOf(orgId), verdict)).length;
      return { accepted, duplicates: batch.length - accepted };
    },
    latestOf: async (orgId, sessionIds) =>
      latest(orgId)
        .filter(({ sessionId }) => sessionIds.includes(sessionId))
        .sort((a, b) => compareIds(a.sessionId, b.sessionId) || byBeginning(a, b)),
    list: async (orgId, filter, limit) =>
      latest(orgId)
        .filter((verdict) => isWanted(verdict, filter))
        .sort((a, b) => -byBeginning(a, b))
        .slice(0, limit),
  };
}

/** False when it says nothing new; so do the two below. */
export function keepHead(ledger: TelemetryLedger, head: StoredHead): boolean {
  const isOwn = (one: StoredHead) => one.sessionId === head.sessionId && one.masque === head.masque;
  const known = ledger.heads.find(isOwn);
  if (isKnownHead(known, head)) return false;
  const others = ledger.heads.filter((one) => !isOwn(one));
  ledger.heads = [...others, ...joinHeads(known ? [known, head] : [head])];
  return true;
}

export function keepEvent(ledger: TelemetryLedger, event: KeptEvent): boolean {
  const isSame = (one: KeptEvent) =>
    one.sessionId === event.sessionId && one.masque === event.masque && markOf(one) === markOf(event);
  return !ledger.told.some(isSame) && ledger.told.push(event) > 0;
}

export function keepVerdict(ledger: TelemetryLedger, verdict: StoredVerdict): boolean {
  const isSame = (one: StoredVerdict) =>
    one.sessionId === verdict.sessionId && one.masque === verdict.masque && one.revision === verdict.revision;
  return !ledger.verdicts.some(isSame) && ledger.verdicts.push(structuredClone(verdict)) > 0;
}

/** What goes with an agent: the sessions that are its, and what was found of them. */
export function forgetAgent(ledger: TelemetryLedger, agentId: string): void {
  forgetSessions(ledger, ({ agent }) => agent === agentId);
  ledger.verdicts = ledger.verdicts.filter((one) => one.agentId !== agentId);
}

/** Answers how many events went. */
export function forgetSessions(ledger: TelemetryLedger, isGone: (head: StoredHead) => boolean): number {
  const gone = new Set(ledger.heads.filter(isGone).map(({ sessionId, masque }) => `${sessionId}\n${masque}`));
  const kept = ledger.told.filter(({ sessionId, masque }) => !gone.has(`${sessionId}\n${masque}`));
  const removed = ledger.told.length - kept.length;
  ledger.heads = ledger.heads.filter((head) => !isGone(head));
  ledger.told = kept;
  return removed;
}

export function latestOf(verdicts: readonly StoredVerdict[]): StoredVerdict[] {
  const revisions = new Map<string, number>();
  for (const { sessionId, revision } of verdicts) {
    revisions.set(sessionId, Math.max(revisions.get(sessionId) ?? 0, revision));
  }
  return structuredClone(verdicts.filter((one) => one.revision === revisions.get(one.sessionId)));
}

function byBeginning(a: StoredVerdict, b: StoredVerdict): number {
  return a.startedAt - b.startedAt || compareIds(a.sessionId, b.sessionId) || compareIds(a.masque, b.masque);
}

/** Each session with the best name there is for its owner: the records' own, a report's, a verdict's. */
function briefsOf({ heads, reports, verdicts }: TelemetryLedger): SessionBrief[] {
  const told = [
    ...heads.map((one) => ({ ...one, agentId: one.agent || null, rank: one.agentRank })),
    ...reports.map((one) => ({ ...one, rank: -1, lastAt: one.startedAt ?? one.receivedAt })),
    ...verdicts.map((one) => ({ ...one, rank: -1, lastAt: one.endedAt })),
  ];
  const named = told
    .filter(({ agentId }) => agentId !== null)
    .sort((a, b) => b.rank - a.rank || compareIds(a.agentId ?? '', b.agentId ?? ''));
  return [...new Set(told.map(({ sessionId }) => sessionId))].map((sessionId) => ({
    sessionId,
    agentId: named.find((one) => one.sessionId === sessionId)?.agentId ?? null,
    lastAt: Math.max(...told.filter((one) => one.sessionId === sessionId).map(({ lastAt }) => lastAt)),
  }));
}

function matches({ agentId, lastAt }: SessionBrief, filter: BriefFilter): boolean {
  return (
    (filter.agentId === undefined || agentId === filter.agentId) &&
    (filter.from === undefined || lastAt >= filter.from) &&
    (filter.to === undefined || lastAt < filter.to)
  );
}

function isWanted(verdict: StoredVerdict, filter: VerdictFilter): boolean {
  const { agentId, kindOfWork, entrypoint, before, toolsMin = 0 } = filter;
  return (
    (agentId === undefined || verdict.agentId === agentId) &&
    (kindOfWork === undefined || verdict.kindOfWork === kindOfWork) &&
    (entrypoint === undefined || verdict.entrypoint === entrypoint) &&
    (before === undefined || verdict.startedAt < before) &&
    verdict.tools >= toolsMin
  );
}
