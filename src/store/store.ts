/**
 * The ledger: one port, several engines. Interfaces only; every promise written here has a test of its own in
 * test/store/conformance.ts, which runs over all engines.
 *
 * Promises that hold for every method:
 * - Nothing crosses an org. A method that takes an `orgId` neither sees nor touches anything of another.
 * - A promise that resolves is kept: what was acknowledged survives `kill -9` (memory excepted, which says so).
 * - All of a batch or none of it.
 * - Facts are appended and never changed. Windows, lifetime counts and scores are derived from them.
 * - A method that takes an `AuditEntry` writes it together with the change, and only when there was something to change.
 */
import type { Category, IdentityScore } from '../core/identity.ts';
import type { KnownAs, Reputation } from '../core/reputation.ts';
import type { Page, PageRequest } from './page.ts';
import type { SessionScores, Signals, StoredReport, StoredSessionScore } from './session-port.ts';
import type { EventReport, Sessions, StoredHead, StoredVerdict, Verdicts } from './telemetry-port.ts';

export type * from './page.ts';
export type * from './session-port.ts';
export type * from './telemetry-port.ts';

export interface Store {
  readonly orgs: Orgs;
  readonly keys: Keys;
  readonly agents: Agents;
  readonly evaluations: Evaluations;
  readonly identities: Identities;
  readonly signals: Signals;
  readonly sessionScores: SessionScores;
  readonly sessions: Sessions;
  readonly verdicts: Verdicts;
  readonly audit: Audit;
  readonly documents: Documents;
  readonly upkeep: Upkeep;
  /** Waits for what is under way, commits it and lets go of the files. Everything after it is refused. */
  close(): Promise<void>;
}

// Orgs and keys

export interface Org {
  orgId: string;
  name: string;
  createdAt: number;
}

export interface Orgs {
  /** Refuses an id that exists (`conflict`). */
  create(org: Org): Promise<void>;
  get(orgId: string): Promise<Org | null>;
  /** In the order of their ids. */
  list(): Promise<Org[]>;
}

export interface ApiKey {
  keyId: string;
  orgId: string;
  kind: 'pk' | 'sk';
  /** SHA-256 of the key, in hex. The key itself is never here. */
  hash: string;
  /** The last characters of the key, so that people can tell their keys apart. */
  hint: string;
  createdAt: number;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

export interface Keys {
  /** Refuses an id or a hash that exists (`conflict`). */
  create(key: ApiKey, audit?: AuditEntry): Promise<void>;
  /** The one lookup that is not within an org: it is how an org is found. Revoked keys are found too, and say so. */
  findByHash(hash: string): Promise<ApiKey | null>;
  list(orgId: string): Promise<ApiKey[]>;
  /** False when the org has no such key. Revoking again keeps the first time. */
  revoke(orgId: string, keyId: string, at: number, audit?: AuditEntry): Promise<boolean>;
  /** Notes the last use; a time before the noted one changes nothing. */
  touch(orgId: string, keyId: string, at: number): Promise<void>;
}

// Agents

export interface Agent {
  agentId: string;
  identityId: string;
  displayName: string | null;
  isPublic: boolean;
  createdAt: number;
}

export interface Agents {
  get(orgId: string, agentId: string): Promise<Agent | null>;
  /** In the order of their ids. */
  list(orgId: string, page: PageRequest): Promise<Page<Agent>>;
  /** Creates the agent or changes what is given; a new identity moves no past events. */
  put(orgId: string, agentId: string, change: AgentChange): Promise<Agent>;
  /**
   * Deletes the agent with its evaluations, its window, what was told, reported, judged and scored of its sessions, and the
   * reputation events of its identity, unless another agent of the org shares that identity. False when there is none. Its
   * evaluation ids may be used again.
   */
  delete(orgId: string, agentId: string, audit: AuditEntry): Promise<boolean>;
}

interface AgentChange {
  /** The time of creation, should the agent be new. */
  at: number;
  displayName?: string | null;
  isPublic?: boolean;
  identityId?: string;
}

// Evaluations

type Source = 'sdk' | 'proxy' | 'api';
type Direction = 'request' | 'response';
type GateOutcome = 'passed' | 'failed' | 'skipped' | 'aborted' | 'timeout' | 'error';

export interface GateVerdict {
  name: string;
  outcome: GateOutcome;
  latencyMs: number;
  /** Short, and quotes nothing of a payload. */
  reason: string | null;
}

export interface Evaluation {
  evaluationId: string;
  agentId: string;
  tool: string | null;
  passed: boolean;
  /** Whether it enters the window. */
  counts: boolean;
  gates: readonly GateVerdict[];
  /** How long the gates took. */
  totalLatencyMs: number;
  /** How long the agent took, where known. */
  latencyMs: number | null;
  source: Source;
  knownAs: KnownAs;
  direction: Direction | null;
  suiteHash: string | null;
  sampleRate: number;
  model: string | null;
  version: string | null;
  sessionId: string | null;
  traceId: string | null;
  tags: readonly string[];
  /** By the clock of whoever sent it; never orders anything. */
  occurredAt: number;
}

export interface StoredEvaluation extends Evaluation {
  /** By the clock of the ledger. */
  receivedAt: number;
  voided: { at: number; reason: string } | null;
}

export interface EvaluationFilter {
  agentId?: string;
  tool?: string;
  /** Evaluations in which a gate of this name took part. */
  gate?: string;
  passed?: boolean;
  source?: Source;
  sessionId?: string;
  /** Received at or after. */
  from?: number;
  /** Received before. */
  to?: number;
}

export interface Appended {
  accepted: number;
  /** Ids that were in the ledger already, or twice in this batch; they count once. */
  duplicates: string[];
  /** Where each agent of the batch stands after it. */
  reputations: ReadonlyMap<string, Reputation>;
}

/** The days of an agent, one after another: how many evaluations counted on each, and how many of them passed. */
export interface DayCounts {
  evaluations: number[];
  passed: number[];
}

/** Evaluations in order of arrival, each with its place. */
export interface Feed {
  items: { cursor: string; evaluation: StoredEvaluation }[];
  /** Where to go on, also when there was nothing. */
  cursor: string;
}

/** The verdicts that count, in order of arrival, each with its place. */
export interface VerdictFeed {
  items: { cursor: string; agentId: string; passed: boolean; receivedAt: number }[];
  /** Where to go on, also when there was nothing. */
  cursor: string;
  /** There may be more right now. */
  hasMore: boolean;
}

export interface Evaluations {
  /**
   * Appends in the order given, and creates agents by their first use. The same id again, in this batch, an earlier one
   * or before a restart, is a duplicate: the first one stays, whatever the second says.
   */
  append(orgId: string, batch: readonly Evaluation[]): Promise<Appended>;
  get(orgId: string, evaluationId: string): Promise<StoredEvaluation | null>;
  /** Newest first. Pages do not shift while new evaluations arrive. */
  list(orgId: string, filter: EvaluationFilter, page: PageRequest): Promise<Page<StoredEvaluation>>;
  /** From the last 500 counting evaluations by arrival; all zeros for an agent nobody knows. */
  reputation(orgId: string, agentId: string): Promise<Reputation>;
  /** When the newest evaluation of an agent's window was received; null when the window is empty. */
  lastArrival(orgId: string, agentId: string): Promise<number | null>;
  /**
   * The reputation as it stood at each of some times, in ascending order: made from what had been received by then and is
   * in the ledger now, so that what was voided since is out of the past as well.
   */
  history(orgId: string, agentId: string, times: readonly number[]): Promise<Reputation[]>;
  /**
   * What counts of each agent of the org, by the day (UTC) on which it was received: so many `days`, at most 64, from the
   * day number `fromDay` on, which counts from 1970. Agents without any are left out.
   */
  daily(orgId: string, span: { fromDay: number; days: number }): Promise<ReadonlyMap<string, DayCounts>>;
  /** The place after the last evaluation, for `since`. */
  head(orgId: string): Promise<string>;
  /** What has arrived after a place, oldest first, each exactly once however often it is asked for the next. */
  since(orgId: string, cursor: string, limit: number): Promise<Feed>;
  /** The same for those that count and are not voided, and no more of each than its verdict: for whoever reads them all. */
  verdictsSince(orgId: string, cursor: string, limit: number): Promise<VerdictFeed>;
  /**
   * Takes an evaluation out of the window, and out of the lifetime count, and leaves it visible. The older one it had
   * pushed out comes back. Null when there is none; voiding again changes nothing.
   */
  void(
    orgId: string,
    evaluationId: string,
    why: { at: number; reason: string; audit: AuditEntry },
  ): Promise<StoredEvaluation | null>;
}

// Identities

export interface ReputationEvent {
  /** A UUID, as that of the identity is. */
  eventId: string;
  identityId: string;
  timestamp: number;
  category: Category;
  eventType: string;
  scoreDelta: number;
  confidence: number;
  referenceType: '' | 'session' | 'transaction' | 'attestation';
  referenceId: string;
  attributes: Readonly<Record<string, string>>;
  /** A higher revision of the same event replaces the lower ones in every score and list, whoever's they were. */
  revision: number;
}

export interface Identities {
  /** The same event and revision again is a duplicate. */
  append(
    orgId: string,
    batch: readonly ReputationEvent[],
  ): Promise<{ accepted: number; duplicates: string[] }>;
  /** The highest revision of each event, newest timestamp first. */
  list(orgId: string, identityId: string, page: PageRequest): Promise<Page<ReputationEvent>>;
  /** Computed when asked, as `core/identity` computes it from the highest revisions. */
  score(orgId: string, identityId: string, now: number): Promise<IdentityScore>;
}

// Audit

export interface AuditEntry {
  auditId: string;
  at: number;
  /** Who: the id of a key, or `cli`. */
  actor: string;
  /** What was done, as `evaluation.void` or `key.create`. */
  action: string;
  /** To what: an id. */
  target: string;
  /** A short sentence without payload. */
  note: string;
}

export interface Audit {
  append(orgId: string, entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(orgId: string, page: PageRequest): Promise<Page<AuditEntry>>;
}

// Documents

/** What is small, changes, and belongs to an org: settings, secrets, gate suites, monitors. */
export interface Document {
  kind: string;
  id: string;
  /** Grows by one with each write. */
  version: number;
  updatedAt: number;
  /** Anything that JSON can say. */
  body: unknown;
}

interface DocumentWrite extends Pick<Document, 'kind' | 'id' | 'body'> {
  at: number;
  /**
   * Writes only when the document stands at this version (0: when there is none) and refuses with `conflict` otherwise:
   * of several writers, on several nodes too, exactly one succeeds.
   */
  expectedVersion?: number;
}

export interface Documents {
  get(orgId: string, kind: string, id: string): Promise<Document | null>;
  /** Those of one kind, in the order of their ids, or against it. */
  list(orgId: string, kind: string, page: PageRequest & { descending?: boolean }): Promise<Page<Document>>;
  put(orgId: string, write: DocumentWrite, audit?: AuditEntry): Promise<Document>;
  /** False when there is none. */
  delete(orgId: string, kind: string, id: string, audit?: AuditEntry): Promise<boolean>;
  /** Deletes those of one kind that were last written before a time, in all orgs; answers how many. */
  expire(kind: string, before: number): Promise<number>;
}

// Upkeep

/** How long each kind is kept, in milliseconds; null keeps it for ever. */
export interface Retention {
  evaluationsMs: number | null;
  reputationEventsMs: number | null;
  auditMs: number | null;
  /** Sessions of which nothing has arrived for that long; verdicts on them stay. */
  sessionEventsMs: number | null;
  /** Whole sessions of which nothing was reported for that long: a part of its traces would be another session. */
  signalsMs: number | null;
  /** By when they were computed. */
  sessionScoresMs: number | null;
}

export interface Pruned {
  evaluations: number;
  reputationEvents: number;
  auditEntries: number;
  sessionEvents: number;
  signalReports: number;
  sessionScores: number;
}

/** Everything a ledger holds, one row at a time, in an order in which it can be restored. */
export type LedgerRow =
  | { kind: 'org'; row: Org }
  | { kind: 'key'; row: ApiKey }
  | { kind: 'agent'; orgId: string; row: AgentRow }
  | { kind: 'evaluation'; orgId: string; row: StoredEvaluation }
  | { kind: 'reputation_event'; orgId: string; row: ReputationEvent }
  | { kind: 'signal_report'; orgId: string; row: StoredReport }
  | { kind: 'session_score'; orgId: string; row: StoredSessionScore }
  | { kind: 'session_head'; orgId: string; row: StoredHead }
  | { kind: 'session_event'; orgId: string; row: EventReport & { sessionId: string; masque: string } }
  | { kind: 'session_verdict'; orgId: string; row: StoredVerdict }
  | { kind: 'audit'; orgId: string; row: AuditEntry }
  | { kind: 'document'; orgId: string; row: Document };

export interface AgentRow extends Agent {
  /** Counting evaluations that retention has removed: they stay in the lifetime count. */
  prunedEvaluations: number;
}

export interface Upkeep {
  /**
   * Removes what is older than the policy allows, in all orgs. An agent's last 500 counting evaluations always stay, and
   * so does its lifetime count.
   */
  prune(policy: Retention, now: number): Promise<Pruned>;
  /** Everything, as it stood when the first row was asked for. Evaluations and reports come in order of arrival. */
  export(): AsyncIterable<LedgerRow>;
  /** Takes rows of `export`, times of arrival included. Rows that are there already are left alone. */
  restore(rows: AsyncIterable<LedgerRow>): Promise<{ restored: number; present: number }>;
  /**
   * Writes a copy that can be opened as a ledger, as it stood when this was called, while others go on writing. Null for
   * an engine that has nothing to copy, or its own ways to do so.
   */
  backup: ((path: string) => Promise<void>) | null;
}
