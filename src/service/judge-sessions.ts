/** From a table of sessions to verdicts: which sessions, which parts of them, and how they compare. */
import { RenownError } from '../core/errors.ts';
import { rowsBySession, summarise, WHOLE, type Window } from '../telemetry/session-summary.ts';
import type { SessionEntry, SessionTable } from '../telemetry/session-table.ts';
import { type Baseline, compareWithEarlier, toOtherSession } from './baseline.ts';
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
  const chosen = choose(table.sessions, request.which);
  const judged = judgeAlone(table, request);
  const others = judged.map(toOtherSession);
  return judged
    .filter(({ summary }) => chosen.has(summary.entry.sessionId))
    .map((one) => ({ ...one, baseline: compareWithEarlier(one, others) }));
}

/** Every session of a table, in the order in which they began, compared with none. */
export function judgeAlone(table: SessionTable, request: Omit<JudgeRequest, 'which'>): Judged[] {
  const rows = rowsBySession(table);
  return [...bySession(table.sessions).values()]
    .flatMap((entries) =>
      entries
        .flatMap((entry) =>
          partsOf(entry, entries.length > 1, request).map(({ masque, window }) =>
            judge(summarise(table, entry, rows[entry.index] as Int32Array, window), masque),
          ),
        )
        .filter(hasContent),
    )
    .sort(
      (a, b) =>
        a.summary.startedAt - b.summary.startedAt ||
        (a.summary.entry.sessionId < b.summary.entry.sessionId ? -1 : 1),
    );
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

function bySession(entries: readonly SessionEntry[]): Map<string, SessionEntry[]> {
  const groups = new Map<string, SessionEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.sessionId);
    if (group) group.push(entry);
    else groups.set(entry.sessionId, [entry]);
  }
  return groups;
}

/** What of an entry is scored, and as whose work. */
function partsOf(entry: SessionEntry, isOneOfSeveral: boolean, request: Omit<JudgeRequest, 'which'>): Worn[] {
  const { masque, masqueSession, window } = request;
  if (window) return [{ masque: masque ?? (entry.masque || NO_MASQUE), window }];
  if (entry.masque !== '' || isOneOfSeveral)
    return [{ masque: masque ?? (entry.masque || NO_MASQUE), window: WHOLE }];
  const worn = masqueSession ? wornDuring(masqueSession, entry.firstAt, entry.lastAt) : [];
  const asked = masque === undefined ? worn : worn.filter((part) => part.masque === masque);
  return asked.length > 0 ? asked : [{ masque: masque ?? NO_MASQUE, window: WHOLE }];
}

/** A part of a session in which nothing was done is no session of its own. */
function hasContent({ summary }: Judged, _: number, parts: readonly unknown[]): boolean {
  return parts.length === 1 || summary.tools + summary.prompts + summary.models.length > 0;
}
