/**
 * The ledger in plain arrays and maps: the oracle that the engines are tested against, so written to be obviously right
 * rather than fast. It forgets everything when the process ends.
 */
import { RenownError } from '../core/errors.ts';
import { scoreIdentity } from '../core/identity.ts';
import { identityIdOf } from '../core/ids.ts';
import { type Reputation, reputationOf } from '../core/reputation.ts';
import { compareIds } from './compare-ids.ts';
import { documentConflict } from './document-conflict.ts';
import { emptyDays } from './empty-days.ts';
import { checkBatch, toCounted } from './evaluation-window.ts';
import { pageOf } from './memory-page.ts';
import { createMemoryScores, createMemorySignals } from './memory-sessions.ts';
import { createMemorySessions, createMemoryVerdicts, forgetAgent } from './memory-telemetry.ts';
import { createMemoryUpkeep, type OrgLedger } from './memory-upkeep.ts';
import type * as port from './store.ts';
import { untilClosed } from './until-closed.ts';
import { verdictsOf } from './verdict-feed.ts';

export function createMemoryStore({ clock }: { clock: () => number }): port.Store {
  const orgs = new Map<string, port.Org>();
  const keys: port.ApiKey[] = [];
  const ledgers = new Map<string, OrgLedger>();
  let seq = 0;

  function ledgerOf(orgId: string): OrgLedger {
    const ledger = ledgers.get(orgId) ?? {
      agents: new Map(),
      evaluations: [],
      events: [],
      reports: [],
      scores: [],
      heads: [],
      told: [],
      verdicts: [],
      audit: [],
      documents: [],
    };
    ledgers.set(orgId, ledger);
    return ledger;
  }

  function agentOf(orgId: string, agentId: string, at: number): port.AgentRow {
    const { agents } = ledgerOf(orgId);
    const agent = agents.get(agentId) ?? {
      agentId,
      identityId: identityIdOf(orgId, agentId),
      displayName: null,
      isPublic: false,
      createdAt: at,
      prunedEvaluations: 0,
    };
    agents.set(agentId, agent);
    return agent;
  }

  function audited(orgId: string, entry: port.AuditEntry | undefined): void {
    if (entry) ledgerOf(orgId).audit.push({ ...entry, seq: seq++ });
  }

  function findDocument(orgId: string, kind: string, id: string): port.Document | undefined {
    return ledgerOf(orgId).documents.find((one) => one.kind === kind && one.id === id);
  }

  function countingOf(orgId: string, agentId: string) {
    const { evaluations } = ledgerOf(orgId);
    return evaluations.filter((one) => one.agentId === agentId && one.counts && one.voided === null);
  }

  function reputation(orgId: string, agentId: string): Reputation {
    const pruned = ledgerOf(orgId).agents.get(agentId)?.prunedEvaluations ?? 0;
    return reputationOf(countingOf(orgId, agentId).map(toCounted), pruned);
  }

  function since(orgId: string, cursor: string, limit: number): port.Feed {
    const found = ledgerOf(orgId).evaluations.filter((one) => one.seq >= Number(cursor));
    const items = found.slice(0, limit).map((one) => ({
      cursor: String(one.seq + 1),
      evaluation: toStored(one) as port.StoredEvaluation,
    }));
    const last = items.at(-1);
    return { items, cursor: last && found.length > limit ? last.cursor : String(seq) };
  }

  return untilClosed({
    orgs: {
      async create(org) {
        if (orgs.has(org.orgId)) throw conflict(`An org ${org.orgId} exists.`);
        orgs.set(org.orgId, org);
      },
      get: async (orgId) => orgs.get(orgId) ?? null,
      list: async () => [...orgs.values()].sort((a, b) => compareIds(a.orgId, b.orgId)),
    },

    keys: {
      async create(key, audit) {
        if (keys.some(({ keyId, hash }) => keyId === key.keyId || hash === key.hash)) {
          throw conflict(`The key ${key.keyId} exists.`);
        }
        keys.push({ ...key });
        audited(key.orgId, audit);
      },
      findByHash: async (hash) => copy(keys.find((key) => key.hash === hash)),
      list: async (orgId) => keys.filter((key) => key.orgId === orgId).map((key) => ({ ...key })),
      async revoke(orgId, keyId, at, audit) {
        const key = keys.find((one) => one.orgId === orgId && one.keyId === keyId);
        if (key?.revokedAt === null) {
          key.revokedAt = at;
          audited(orgId, audit);
        }
        return key !== undefined;
      },
      async touch(orgId, keyId, at) {
        const key = keys.find((one) => one.orgId === orgId && one.keyId === keyId);
        if (key) key.lastUsedAt = Math.max(key.lastUsedAt ?? at, at);
      },
    },

    agents: {
      get: async (orgId, agentId) => toAgent(ledgerOf(orgId).agents.get(agentId)),
      async list(orgId, { cursor, limit }) {
        const after = [...ledgerOf(orgId).agents.values()]
          .sort((a, b) => compareIds(a.agentId, b.agentId))
          .filter(({ agentId }) => cursor == null || compareIds(agentId, cursor) > 0);
        return pageOf(
          after,
          limit,
          ({ agentId }) => agentId,
          (agent) => toAgent(agent) as port.Agent,
        );
      },
      async put(orgId, agentId, { at, ...change }) {
        return toAgent(Object.assign(agentOf(orgId, agentId, at), change)) as port.Agent;
      },
      async delete(orgId, agentId, audit) {
        const ledger = ledgerOf(orgId);
        const agent = ledger.agents.get(agentId);
        if (!agent) return false;
        audited(orgId, audit);
        ledger.agents.delete(agentId);
        ledger.evaluations = ledger.evaluations.filter((one) => one.agentId !== agentId);
        ledger.reports = ledger.reports.filter((one) => one.agentId !== agentId);
        ledger.scores = ledger.scores.filter((one) => one.agentId !== agentId);
        forgetAgent(ledger, agentId);
        const shared = [...ledger.agents.values()].some(({ identityId }) => identityId === agent.identityId);
        if (!shared)
          ledger.events = ledger.events.filter(({ identityId }) => identityId !== agent.identityId);
        return true;
      },
    },

    evaluations: {
      async append(orgId, batch) {
        checkBatch(batch);
        const ledger = ledgerOf(orgId);
        const duplicates: string[] = [];
        for (const evaluation of batch) {
          if (ledger.evaluations.some(({ evaluationId }) => evaluationId === evaluation.evaluationId)) {
            duplicates.push(evaluation.evaluationId);
            continue;
          }
          const receivedAt = clock();
          agentOf(orgId, evaluation.agentId, receivedAt);
          ledger.evaluations.push({ ...evaluation, receivedAt, voided: null, seq: seq++ });
        }
        const agentIds = new Set(batch.map(({ agentId }) => agentId));
        return {
          accepted: batch.length - duplicates.length,
          duplicates,
          reputations: new Map([...agentIds].map((agentId) => [agentId, reputation(orgId, agentId)])),
        };
      },
      get: async (orgId, evaluationId) =>
        toStored(ledgerOf(orgId).evaluations.find((one) => one.evaluationId === evaluationId)),
      async list(orgId, filter, { cursor, limit }) {
        const older = ledgerOf(orgId)
          .evaluations.filter((one) => matches(one, filter) && (cursor == null || one.seq < Number(cursor)))
          .reverse();
        return pageOf(
          older,
          limit,
          (one) => String(one.seq),
          (one) => toStored(one) as port.StoredEvaluation,
        );
      },
      reputation: async (orgId, agentId) => reputation(orgId, agentId),
      lastArrival: async (orgId, agentId) => countingOf(orgId, agentId).at(-1)?.receivedAt ?? null,
      async daily(orgId, span) {
        const found = new Map<string, port.DayCounts>();
        for (const { agentId, receivedAt, passed, counts, voided } of ledgerOf(orgId).evaluations) {
          if (counts && voided === null) addToDay(found, { agentId, receivedAt, passed }, span);
        }
        return found;
      },
      async history(orgId, agentId, times) {
        const pruned = ledgerOf(orgId).agents.get(agentId)?.prunedEvaluations ?? 0;
        const counting = countingOf(orgId, agentId).sort(
          (a, b) => a.receivedAt - b.receivedAt || a.seq - b.seq,
        );
        return times.map((time) =>
          reputationOf(counting.filter(({ receivedAt }) => receivedAt <= time).map(toCounted), pruned),
        );
      },
      head: async () => String(seq),
      since: async (orgId, cursor, limit) => since(orgId, cursor, limit),
      verdictsSince: async (orgId, cursor, limit) => verdictsOf(since(orgId, cursor, limit), limit),
      async void(orgId, evaluationId, { at, reason, audit }) {
        const found = ledgerOf(orgId).evaluations.find((one) => one.evaluationId === evaluationId);
        if (found?.voided === null) {
          found.voided = { at, reason };
          audited(orgId, audit);
        }
        return toStored(found);
      },
    },

    identities: {
      async append(orgId, batch) {
        const { events } = ledgerOf(orgId);
        const duplicates: string[] = [];
        for (const event of batch) {
          const known = events.some(
            (one) => one.eventId === event.eventId && one.revision === event.revision,
          );
          if (known) duplicates.push(event.eventId);
          else events.push({ ...event });
        }
        return { accepted: batch.length - duplicates.length, duplicates };
      },
      async list(orgId, identityId, { cursor, limit }) {
        const position = ({ timestamp, eventId }: port.ReputationEvent) => `${timestamp}:${eventId}`;
        const newestFirst = (a: port.ReputationEvent, b: port.ReputationEvent) =>
          b.timestamp - a.timestamp || compareIds(b.eventId, a.eventId);
        const events = latestRevisions(ledgerOf(orgId).events, identityId).sort(newestFirst);
        const start = cursor == null ? 0 : events.findIndex((event) => position(event) === cursor) + 1;
        return pageOf(events.slice(start), limit, position, (event) => ({ ...event }));
      },
      score: async (orgId, identityId, now) =>
        scoreIdentity(latestRevisions(ledgerOf(orgId).events, identityId), now),
    },

    signals: createMemorySignals(ledgerOf, { clock, meet: agentOf }),
    sessionScores: createMemoryScores(ledgerOf),
    sessions: createMemorySessions(ledgerOf, { clock, meet: agentOf, orgIds: () => ledgers.keys() }),
    verdicts: createMemoryVerdicts(ledgerOf),

    audit: {
      async append(orgId, entry) {
        audited(orgId, entry);
      },
      async list(orgId, { cursor, limit }) {
        const older = ledgerOf(orgId)
          .audit.filter((entry) => cursor == null || entry.seq < Number(cursor))
          .reverse();
        return pageOf(
          older,
          limit,
          (entry) => String(entry.seq),
          ({ seq: _, ...entry }) => entry,
        );
      },
    },

    documents: {
      get: async (orgId, kind, id) => copy(findDocument(orgId, kind, id)),
      async list(orgId, kind, { cursor, limit, descending = false }) {
        const order = (a: string, b: string) => (descending ? compareIds(b, a) : compareIds(a, b));
        const after = ledgerOf(orgId)
          .documents.filter((one) => one.kind === kind && (cursor == null || order(one.id, cursor) > 0))
          .sort((a, b) => order(a.id, b.id));
        return pageOf(
          after,
          limit,
          ({ id }) => id,
          (one) => ({ ...one }),
        );
      },
      async put(orgId, { kind, id, body, at, expectedVersion }, audit) {
        const found = findDocument(orgId, kind, id);
        const version = found?.version ?? 0;
        if (expectedVersion !== undefined && expectedVersion !== version) {
          throw documentConflict({ kind, id }, { version, expectedVersion });
        }
        const next = { kind, id, version: version + 1, updatedAt: at, body: structuredClone(body) };
        const { documents } = ledgerOf(orgId);
        if (found) documents.splice(documents.indexOf(found), 1);
        documents.push(next);
        audited(orgId, audit);
        return { ...next };
      },
      async delete(orgId, kind, id, audit) {
        const found = findDocument(orgId, kind, id);
        const ledger = ledgerOf(orgId);
        ledger.documents = ledger.documents.filter((one) => one !== found);
        if (found) audited(orgId, audit);
        return found !== undefined;
      },
      async expire(kind, before) {
        let expired = 0;
        for (const ledger of ledgers.values()) {
          const kept = ledger.documents.filter((one) => one.kind !== kind || one.updatedAt >= before);
          expired += ledger.documents.length - kept.length;
          ledger.documents = kept;
        }
        return expired;
      },
    },

    upkeep: createMemoryUpkeep({ orgs, keys, ledgers }, { ledgerOf, countingOf, nextSeq: () => seq++ }),

    async close() {},
  });
}

function addToDay(
  found: Map<string, port.DayCounts>,
  { agentId, receivedAt, passed }: Pick<port.StoredEvaluation, 'agentId' | 'receivedAt' | 'passed'>,
  { fromDay, days }: { fromDay: number; days: number },
): void {
  const at = Math.floor(receivedAt / 86_400_000) - fromDay;
  if (at < 0 || at >= days) return;
  const counts = found.get(agentId) ?? emptyDays(days);
  found.set(agentId, counts);
  counts.evaluations[at] = (counts.evaluations[at] ?? 0) + 1;
  if (passed) counts.passed[at] = (counts.passed[at] ?? 0) + 1;
}

function matches(one: port.StoredEvaluation, filter: port.EvaluationFilter): boolean {
  const { agentId, tool, gate, passed, source, sessionId, from, to } = filter;
  return (
    (agentId === undefined || one.agentId === agentId) &&
    (tool === undefined || one.tool === tool) &&
    (gate === undefined || one.gates.some(({ name }) => name === gate)) &&
    (passed === undefined || one.passed === passed) &&
    (source === undefined || one.source === source) &&
    (sessionId === undefined || one.sessionId === sessionId) &&
    (from === undefined || one.receivedAt >= from) &&
    (to === undefined || one.receivedAt < to)
  );
}

function latestRevisions(
  events: readonly port.ReputationEvent[],
  identityId: string,
): port.ReputationEvent[] {
  const latest = new Map<string, port.ReputationEvent>();
  for (const event of events) {
    if (event.revision > (latest.get(event.eventId)?.revision ?? -1)) latest.set(event.eventId, event);
  }
  return [...latest.values()].filter((event) => event.identityId === identityId);
}

function toStored(one: (port.StoredEvaluation & { seq: number }) | undefined): port.StoredEvaluation | null {
  if (!one) return null;
  const { seq: _, ...stored } = one;
  return structuredClone(stored);
}

function toAgent(row: port.AgentRow | undefined): port.Agent | null {
  if (!row) return null;
  const { prunedEvaluations: _, ...agent } = row;
  return agent;
}

function copy<T extends object>(value: T | undefined): T | null {
  return value ? { ...value } : null;
}

function conflict(message: string): RenownError {
  return new RenownError('conflict', message);
}
