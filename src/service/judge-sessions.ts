/** From a table of sessions to verdicts: which sessions, which parts of them, and how they compare. */
import { RenownError } from '../core/errors.ts';
import { NO_MASQUE } from '../telemetry/session-event.ts';
import { summarise, WHOLE, type Window } from '../telemetry/session-summary.ts';
import type { SessionEntry, SessionTable } from '../telemetry/session-table.ts';
import { type SessionWork, worksBySession } from '../telemetry/session-works.ts';
import { type Baseline, compareWithEarlier, type OtherSession, toOtherSession } from './baseline.ts';
import { type MasqueSession, type Worn, wornDuring } from './masque-session.ts';
import { type Judged, judge } from './verdict.ts';

export interface Verdict extends Judged {
  baseline: Baseline;
}

export interface JudgeRequest {
  /** One session, the latest, or all. */
  which: { session: string } | 'last' | 'all';
  /** Of the masques that the records of a session name, the one to judge; for one whose records name none, its name. */
  masque?: string | undefined;
  masqueSession?: MasqueSession | undefined;
  /** Cut every session here, whatever a masque says; one that lies outside is left out. */
  window?: Window | undefined;
}

/** How sessions are divided into parts. */
type How = Omit<JudgeRequest, 'which'>;
/** What is scored, and as whose work. */
type Part = SessionWork & Worn;
type Judge = (part: Part) => Judged;

/** Verdicts in the order in which the sessions began, each beside the earlier ones of the same table. */
export function judgeSessions(table: SessionTable, { which, ...how }: JudgeRequest): Verdict[] {
  const sessions = worksBySession(table);
  // What a session is compared with is not cut, nor left out for its masque.
  const whole = sessions.map((works) => partsOf(works, { masqueSession: how.masqueSession }));
  const isWhole = how.masque === undefined && how.window === undefined;
  const asked = isWhole ? whole : sessions.map((works) => partsOf(works, how));
  const judgeOnce = onceEach(judgeIn(table));
  const record = new AgentsRecord(whole.flat(), judgeOnce);
  return judgeParts(choose(asked, which), judgeOnce).map((one) => ({
    ...one,
    baseline: compareWithEarlier(one, record.before(one)),
  }));
}

/** Every session of a table, in the order in which they began, compared with none. */
export function judgeAlone(table: SessionTable, how: How): Judged[] {
  const sessions = worksBySession(table).map((works) => partsOf(works, how));
  return judgeParts(sessions, judgeIn(table));
}

function judgeIn(table: SessionTable): Judge {
  return ({ entry, rows, window, masque }) => judge(summarise(table, entry, rows, window), masque);
}

/** A part may be asked for as itself and as one that others are compared with. */
function onceEach(judgePart: Judge): Judge {
  const judged = new Map<Part, Judged>();
  return (part) => {
    const one = judged.get(part) ?? judgePart(part);
    judged.set(part, one);
    return one;
  };
}

function judgeParts(sessions: readonly Part[][], judgePart: Judge): Judged[] {
  return sessions
    .flatMap((parts) => worthTelling(parts.map(judgePart)))
    .sort((a, b) => a.summary.startedAt - b.summary.startedAt || byId(a.summary, b.summary));
}

/**
 * The sessions of each agent, those first that began last. They are judged when they are asked for, and few are: the latest
 * session is compared with the last twenty of thousands.
 */
class AgentsRecord {
  readonly #latestFirst = new Map<string, Part[]>();
  readonly #judge: Judge;

  constructor(parts: Part[], judgePart: Judge) {
    this.#judge = judgePart;
    for (const part of parts.sort((a, b) => startOf(b) - startOf(a) || byId(a, b))) {
      const known = this.#latestFirst.get(startedAs(part.entry));
      if (known) known.push(part);
      else this.#latestFirst.set(startedAs(part.entry), [part]);
    }
  }

  *before({ summary }: Judged): Iterable<OtherSession> {
    const parts = this.#latestFirst.get(startedAs(summary.entry)) ?? [];
    for (let i = firstBefore(parts, summary.startedAt); i < parts.length; i++)
      yield toOtherSession(this.#judge(parts[i] as Part));
  }
}

/** Whose it is and how it was started: only what agrees in both is compared. */
function startedAs({ agent, entrypoint }: SessionEntry): string {
  return `${agent}\n${entrypoint}`;
}

/** Where those begin that started earlier, found by halving. */
function firstBefore(latestFirst: readonly Part[], time: number): number {
  let [low, high] = [0, latestFirst.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (startOf(latestFirst[middle] as Part) < time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function startOf({ entry, window }: Part): number {
  return Math.max(entry.firstAt, window.from);
}

function choose(sessions: readonly Part[][], which: JudgeRequest['which']): readonly Part[][] {
  if (which === 'all') return sessions;
  if (which === 'last') return latestOf(sessions);
  const found = sessions.filter(([first]) => first?.entry.sessionId === which.session);
  if (found.length === 0) {
    throw new RenownError(
      'not_found',
      `There is no session "${which.session}" in what was read, or nothing of it is of that time and masque; \`--all\` shows those there are.`,
    );
  }
  return found;
}

/** The one that was last heard of; of two at the same moment the later in the alphabet. */
function latestOf(sessions: readonly Part[][]): Part[][] {
  let latest: { parts: Part[]; first: Part; lastAt: number } | undefined;
  for (const parts of sessions) {
    const [first] = parts;
    if (!first) continue;
    const lastAt = Math.max(...parts.map(({ entry }) => entry.lastAt));
    const difference = latest ? lastAt - latest.lastAt || byId(first, latest.first) : 1;
    if (difference > 0) latest = { parts, first, lastAt };
  }
  return latest ? [latest.parts] : [];
}

type OfSession = Pick<SessionWork, 'entry'>;

function byId({ entry: a }: OfSession, { entry: b }: OfSession): number {
  return a.sessionId < b.sessionId ? -1 : 1;
}

/** A session whose records name masques is told by their word, and any other by that of whoever asks or of the session file. */
function partsOf(works: readonly SessionWork[], { masque, masqueSession, window }: How): Part[] {
  const isNamed = works.some(({ entry }) => entry.masque !== '');
  const parts = works.flatMap((work): Part[] => {
    const { masque: named, firstAt, lastAt } = work.entry;
    if (isNamed) return [{ ...work, masque: named || NO_MASQUE, window: window ?? WHOLE }];
    const worn = masqueSession && !window ? wornDuring(masqueSession, firstAt, lastAt) : [];
    const asked = masque === undefined ? worn : worn.filter((part) => part.masque === masque);
    if (asked.length > 0) return asked.map((part) => ({ ...work, ...part }));
    return [{ ...work, masque: masque ?? NO_MASQUE, window: window ?? WHOLE }];
  });
  return parts.filter(
    (part) =>
      (masque === undefined || part.masque === masque) &&
      part.entry.lastAt >= part.window.from &&
      part.entry.firstAt <= part.window.to,
  );
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
