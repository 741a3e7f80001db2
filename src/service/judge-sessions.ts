/** From a table of sessions to verdicts: which sessions, which parts of them, and how they compare. */
import { RenownError } from '../core/errors.ts';
import { rowsBySession, summarise, WHOLE, type Window } from '../telemetry/session-summary.ts';
import type { SessionEntry, SessionTable } from '../telemetry/session-table.ts';
import { type Baseline, compareWithEarlier, type OtherSession, toOtherSession } from './baseline.ts';
import { type MasqueSession, type Worn, wornDuring } from './masque-session.ts';
import { type Judged, judge } from './verdict.ts';

const NO_MASQUE = 'none';

export interface Verdict extends Judged {
  baseline: Baseline;
}

export interface JudgeRequest {
  /** One session, the latest, or all. */
  which: { session: string } | 'last' | 'all';
  /** The masque, by the word of whoever asks. */
  masque?: string | undefined;
  masqueSession?: MasqueSession | undefined;
  /** Cut every session here, whatever a masque says. */
  window?: Window | undefined;
}

/** Verdicts in the order in which the sessions began, each beside the earlier ones of the same table. */
export function judgeSessions(table: SessionTable, request: JudgeRequest): Verdict[] {
  const { which, ...how } = request;
  const rows = rowsBySession(table);
  const groups = bySession(table.sessions);
  const chosen = choose(table.sessions, which);
  const isCut = how.window !== undefined || how.masqueSession !== undefined;
  // Uncut, a session begins when its entry says; so the others can be judged one by one, latest first, while they are needed.
  const isLazy = which !== 'all' && !isCut;
  const judged = judgeGroups(table, isLazy ? groups.filter(([one]) => chosen.has(one.sessionId)) : groups, {
    rows,
    how,
  });
  const others = judged.map(toOtherSession).sort((a, b) => b.startedAt - a.startedAt);
  return judged
    .filter(({ summary }) => chosen.has(summary.entry.sessionId))
    .map((one) => ({
      ...one,
      baseline: compareWithEarlier(one, isLazy ? latestFirst(table, { rows, how }) : others),
    }));
}

/** Every session of a table, in the order in which they began, compared with none. */
export function judgeAlone(table: SessionTable, how: How): Judged[] {
  return judgeGroups(table, bySession(table.sessions), { rows: rowsBySession(table), how });
}

/** How sessions are divided into parts. */
type How = Omit<JudgeRequest, 'which'>;
/** The entries of one session. */
type Group = [SessionEntry, ...SessionEntry[]];

interface Judging {
  rows: readonly Int32Array[];
  how: How;
}

function judgeGroups(table: SessionTable, groups: readonly Group[], { rows, how }: Judging): Judged[] {
  return groups
    .flatMap((entries) =>
      worthTelling(
        entries.flatMap((entry) =>
          partsOf(entry, entries.length > 1, how).map((part) => judgePart(table, entry, { rows, part })),
        ),
      ),
    )
    .sort((a, b) => a.summary.startedAt - b.summary.startedAt || byId(a.summary.entry, b.summary.entry));
}

/** Whole sessions, those that began last first; each is judged when it is asked for. */
function* latestFirst(table: SessionTable, { rows, how }: Judging): Generator<OtherSession> {
  const { masque = NO_MASQUE } = how;
  for (const entry of table.sessions.toSorted((a, b) => b.firstAt - a.firstAt || byId(a, b))) {
    yield toOtherSession(judgePart(table, entry, { rows, part: { masque, window: WHOLE } }));
  }
}

function judgePart(
  table: SessionTable,
  entry: SessionEntry,
  { rows, part }: { rows: readonly Int32Array[]; part: Worn },
): Judged {
  return judge(summarise(table, entry, rows[entry.index] as Int32Array, part.window), part.masque);
}

function choose(entries: readonly SessionEntry[], which: JudgeRequest['which']): Set<string> {
  if (which === 'all') return new Set(entries.map(({ sessionId }) => sessionId));
  if (which === 'last') {
    const [latest] = entries.toSorted((a, b) => b.lastAt - a.lastAt || (a.sessionId < b.sessionId ? 1 : -1));
    return new Set(latest ? [latest.sessionId] : []);
  }
  const found = entries.filter(({ sessionId }) => sessionId === which.session);
  if (found.length === 0) {
    throw new RenownError(
      'not_found',
      `There is no session "${which.session}" in what was read; \`--all\` shows those there are.`,
    );
  }
  return new Set([which.session]);
}

function byId(a: SessionEntry, b: SessionEntry): number {
  return a.sessionId < b.sessionId ? -1 : 1;
}

function bySession(entries: readonly SessionEntry[]): Group[] {
  const groups = new Map<string, Group>();
  for (const entry of entries) {
    const group = groups.get(entry.sessionId);
    if (group) group.push(entry);
    else groups.set(entry.sessionId, [entry]);
  }
  return [...groups.values()];
}

/** What of an entry is scored, and as whose work. */
function partsOf(entry: SessionEntry, isOneOfSeveral: boolean, how: How): Worn[] {
  const { masque, masqueSession, window } = how;
  if (window) return [{ masque: masque ?? (entry.masque || NO_MASQUE), window }];
  if (entry.masque !== '' || isOneOfSeveral)
    return [{ masque: masque ?? (entry.masque || NO_MASQUE), window: WHOLE }];
  const worn = masqueSession ? wornDuring(masqueSession, entry.firstAt, entry.lastAt) : [];
  const asked = masque === undefined ? worn : worn.filter((part) => part.masque === masque);
  return asked.length > 0 ? asked : [{ masque: masque ?? NO_MASQUE, window: WHOLE }];
}

/**
 * A part of a session in which nothing was done is no session of its own. Where nothing was done in any, there still was
 * one session, and it has one verdict: without it, a session would be due to be judged for ever.
 */
function worthTelling(parts: readonly Judged[]): Judged[] {
  const worked = parts.filter(({ summary }) => summary.tools + summary.prompts + summary.models.length > 0);
  if (worked.length > 0) return worked;
  return parts.toSorted((a, b) => (a.masque < b.masque ? -1 : 1)).slice(0, 1);
}
