/**
 * The part of the port that knows what telemetry told of sessions: metadata only, never what was said. Kept are reports.
 * One event may be told twice, in halves and in any order; the reports of an event share a fingerprint, and whoever reads
 * joins them to what all of them say (`src/telemetry/session-table.ts` does). So a session is always made anew from all
 * that is known of it, nothing is ever counted up on the way in, and telling something again changes nothing.
 */
import type { SessionHead } from '../core/session-head.ts';
import type { Page, PageRequest } from './page.ts';

/** What one delivery tells: columns rather than objects, because fifty thousand events a second come this way. */
export interface Telemetry {
  readonly sessions: readonly Readonly<SessionHead>[];
  /** Of tools, models and metrics. */
  readonly names: readonly string[];
  readonly events: {
    readonly count: number;
    readonly columns: {
      /** Positions in `sessions` and in `names`. */
      readonly session: ArrayLike<number>;
      readonly name: ArrayLike<number>;
      readonly fingerprint: ArrayLike<number>;
      readonly kind: ArrayLike<number>;
      readonly outcome: ArrayLike<number>;
      readonly source: ArrayLike<number>;
      readonly at: ArrayLike<number>;
      /** NaN where not told, as are costs and tokens. */
      readonly amount: ArrayLike<number>;
      readonly cost: ArrayLike<number>;
    };
    /** One of the four token counts of a row. */
    token(row: number, which: number): number;
  };
}

/** One report of an event. What its numbers mean is for `src/telemetry/event-columns.ts` to say; null is not told. */
export interface EventReport {
  fingerprint: number;
  kind: number;
  outcome: number;
  source: number;
  name: string;
  at: number;
  amount: number | null;
  cost: number | null;
  tokens: readonly (number | null)[] | null;
}

/** What all deliveries told of a session as a whole, joined. */
export interface StoredHead extends SessionHead {
  /** When the last of them arrived. */
  receivedAt: number;
}

export interface ToldSession {
  head: StoredHead;
  /** By fingerprint; those of one event beside each other. */
  events: EventReport[];
}

/** A session in a list, with all its masques. */
export interface SessionBrief {
  sessionId: string;
  agentId: string | null;
  lastAt: number;
}

/** Every condition holds. */
export interface BriefFilter {
  agentId?: string;
  /** `lastAt`, at or after. */
  from?: number;
  /** `lastAt`, before. */
  to?: number;
}

export interface Sessions {
  /** Creates agents by their first use. The same again changes nothing of what is read. */
  append(orgId: string, telemetry: Telemetry): Promise<void>;
  /** In the order of their ids and masques: one for each masque that its records name. Unknown sessions are left out. */
  read(orgId: string, sessionIds: readonly string[]): Promise<ToldSession[]>;
  /** Whatever made them known, telemetry, a report on a trace or a verdict; the one with the latest event first. */
  list(orgId: string, filter: BriefFilter, page: PageRequest): Promise<Page<SessionBrief>>;
  /**
   * Of all orgs, sessions that telemetry has told more of since their last verdict, and that have ended, or of which
   * nothing has arrived since a time. Those that have waited longest first.
   */
  due(quietSince: number, limit: number): Promise<{ orgId: string; sessionId: string }[]>;
}

/** How a session, or the part of it in which one masque was worn, was judged. */
export interface StoredVerdict {
  sessionId: string;
  masque: string;
  agentId: string | null;
  entrypoint: string;
  kindOfWork: string;
  startedAt: number;
  endedAt: number;
  tools: number;
  composite: number;
  recommendation: string;
  /** Grows each time that the session is judged anew; all parts of a session share it, and the highest one counts. */
  revision: number;
  /** The `receivedAt` of what it was made from. */
  receivedAt: number;
  judgedAt: number;
  /** All of it, as it is served. */
  details: unknown;
}

/** Every condition holds. */
export interface VerdictFilter {
  agentId?: string;
  kindOfWork?: string;
  entrypoint?: string;
  /** `startedAt`, before. */
  before?: number;
  toolsMin?: number;
}

export interface Verdicts {
  /** All parts of a session in one batch. The same session, masque and revision again is a duplicate. */
  append(orgId: string, batch: readonly StoredVerdict[]): Promise<{ accepted: number; duplicates: number }>;
  /** The latest of these sessions, by their ids and then by when the parts began. */
  latestOf(orgId: string, sessionIds: readonly string[]): Promise<StoredVerdict[]>;
  /** The latest of each session, the one that began last first, at most so many. */
  list(orgId: string, filter: VerdictFilter, limit: number): Promise<StoredVerdict[]>;
}
