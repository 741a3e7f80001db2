/**
 * The part of the port that knows sessions: what was reported of their traces, and how they were scored. Reports are
 * facts and stay in the order in which they arrived; what a session looks like now is folded from them by
 * `fold-reports.ts`, the same for every engine. Scores are facts too: what a run found, and from how much.
 */
import type { Evidence, SessionMetric } from '../core/session-metric.ts';
import type { Signal, SignalWeights } from '../core/signals.ts';
import type { Page, PageRequest } from './page.ts';

/** What somebody says of one trace. */
export interface SignalReport {
  sessionId: string;
  traceId: string;
  agentId: string | null;
  /** Absent signals are absent here; a later report leaves alone what it does not name. */
  signals: { readonly [signal in Signal]?: number };
  startedAt: number | null;
  tags: readonly string[];
  /** Who measured: a program of the caller's, an extractor with its version, a judge. */
  source: string;
}

export interface StoredReport extends SignalReport {
  receivedAt: number;
}

/** A trace as its reports leave it: of each signal the latest value, and whose it is. */
export interface SessionTrace {
  traceId: string;
  signals: { readonly [signal in Signal]?: number };
  sources: { readonly [signal in Signal]?: string };
  startedAt: number | null;
  /** All that any report of it carried, in order. */
  tags: string[];
  receivedAt: number;
}

export interface SessionTraces {
  sessionId: string;
  /** Of the latest report that names one. */
  agentId: string | null;
  tags: string[];
  /** How many reports it is made from: while this stays, the traces have not changed. */
  revision: number;
  /** The latest start of a trace, or receipt where none is known. */
  lastAt: number;
  /** In the order of their first reports. */
  traces: SessionTrace[];
}

/** Every condition holds. */
export interface SessionFilter {
  sessionIds?: readonly string[];
  agentId?: string;
  /** All of these. */
  tags?: readonly string[];
  /** The session's `lastAt`, at or after. */
  from?: number;
  /** The session's `lastAt`, before. */
  to?: number;
  /** Whether a tool call went wrong (`tool_correctness` below 1) or an evaluation of the session did not pass. */
  hasErrors?: boolean;
  tracesMin?: number;
}

export interface SelectedSession {
  sessionId: string;
  traces: number;
}

export interface Signals {
  /**
   * Appends in the order given, and creates agents by their first use. A report that came before in the same words and
   * would change nothing now is not stored again, so that a repeated request is harmless.
   */
  append(orgId: string, batch: readonly SignalReport[]): Promise<{ accepted: number; unchanged: number }>;
  /** Sessions nobody has reported on are not in the answer. */
  read(orgId: string, sessionIds: readonly string[]): Promise<Map<string, SessionTraces>>;
  /** A session as it was after its first so many reports; null when it has fewer. */
  readAt(orgId: string, sessionId: string, revision: number): Promise<SessionTraces | null>;
  /** Every report on a session, newest first. */
  history(orgId: string, sessionId: string, page: PageRequest): Promise<Page<StoredReport>>;
  /** In the order of their ids, at most so many. */
  select(orgId: string, filter: SessionFilter, limit: number): Promise<SelectedSession[]>;
}

/** What one run found for one session by one metric. */
export interface StoredSessionScore {
  runId: string;
  sessionId: string;
  metric: SessionMetric;
  agentId: string | null;
  tags: readonly string[];
  /** Unrounded. */
  score: number;
  threshold: number;
  passed: boolean | null;
  evidence: Evidence;
  totalTraces: number;
  tracesEvaluated: number;
  flaggedTraces: number;
  signalCounts: Readonly<Record<Signal, number>>;
  weights: Readonly<SignalWeights>;
  /** Of the traces it was made from: `Signals.readAt` gives them again. */
  revision: number;
  /** `lastAt` of the session; the run's time for a session without traces. */
  sessionAt: number;
  computedAt: number;
}

/** Every condition holds. */
export interface ScoreFilter {
  sessionId?: string;
  agentId?: string;
  metric?: SessionMetric;
  runId?: string;
  tag?: string;
  passed?: boolean;
  evidence?: Evidence;
  /** `sessionAt`, at or after. */
  from?: number;
  /** `sessionAt`, before. */
  to?: number;
}

/** The latest scores of the sessions of one time span by one metric. */
export interface ScoreBucket {
  metric: SessionMetric;
  /** Where the span begins: a multiple of its length. */
  startsAt: number;
  /** Sessions with evidence. All figures below are about these alone. */
  sessions: number;
  withoutEvidence: number;
  passed: number;
  scoreSum: number;
  scoreMin: number;
  /** How many lie in each tenth of 0–1, 1 itself in the last. */
  tenths: number[];
}

export interface SessionScores {
  /** All scores of one session in a run come in one batch. The same run, session and metric again is a duplicate. */
  append(
    orgId: string,
    batch: readonly StoredSessionScore[],
  ): Promise<{ accepted: number; duplicates: number }>;
  /** Every score, newest first. Pages do not shift while new scores arrive. */
  list(orgId: string, filter: ScoreFilter, page: PageRequest): Promise<Page<StoredSessionScore>>;
  /**
   * The latest score of each session and metric (of the run, where one is named), worst first and those without evidence
   * last; the other conditions are asked of that latest score.
   */
  worst(orgId: string, filter: ScoreFilter, page: PageRequest): Promise<Page<StoredSessionScore>>;
  /** The latest score of each of these sessions and each metric. */
  latestOf(orgId: string, sessionIds: readonly string[]): Promise<StoredSessionScore[]>;
  /** The same scores as `worst`, counted by spans of `sessionAt`, in ascending order. */
  aggregate(orgId: string, filter: ScoreFilter, spanMs: number): Promise<ScoreBucket[]>;
  /** The sessions that a run has scored. */
  scoredBy(orgId: string, runId: string): Promise<Set<string>>;
  /** Answers how many there were. */
  removeRun(orgId: string, runId: string): Promise<number>;
}
