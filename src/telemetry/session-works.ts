/**
 * What was done in each session under each masque. Records that name no masque belong to the one that the session has,
 * where it has exactly one: a transcript, which names none, tells of the same work as the telemetry beside it.
 */
import { joinHead } from '../core/session-head.ts';
import { rowsBySession } from './session-summary.ts';
import type { SessionEntry, SessionTable } from './session-table.ts';

export interface SessionWork {
  entry: SessionEntry;
  rows: Int32Array;
}

/** One list for each session. */
export function worksBySession(table: SessionTable): SessionWork[][] {
  const rows = rowsBySession(table);
  const sessions = new Map<string, SessionWork[]>();
  for (const entry of table.sessions) {
    const work = { entry, rows: rows[entry.index] as Int32Array };
    const works = sessions.get(entry.sessionId);
    if (works) works.push(work);
    else sessions.set(entry.sessionId, [work]);
  }
  return [...sessions.values()].map((works) => (works.length > 1 ? placeNameless(table, works) : works));
}

function placeNameless(table: SessionTable, works: SessionWork[]): SessionWork[] {
  const nameless = works.find(({ entry }) => entry.masque === '');
  if (!nameless) return works;
  const named = works.filter((work) => work !== nameless);
  const [only, ...others] = named;
  if (only && others.length === 0) return [join(nameless, only)];
  return isRepetition(table, nameless) ? named : works;
}

/** What only a second source tells, as a transcript does, was told under the masques already. */
function isRepetition({ events }: SessionTable, { rows }: SessionWork): boolean {
  return rows.every((row) => events.columns.source[row] === 1);
}

function join(nameless: SessionWork, named: SessionWork): SessionWork {
  const entry = { ...named.entry };
  joinHead(entry, nameless.entry);
  return { entry, rows: Int32Array.from([...nameless.rows, ...named.rows]) };
}
