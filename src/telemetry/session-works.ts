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
  const rows = withoutRepetition(table, nameless, named);
  return rows.length === 0 ? named : [...named, { entry: nameless.entry, rows }];
}

/** Without what only a second source tells, as a transcript does, of the kinds that were told under the masques already. */
function withoutRepetition(
  { events }: SessionTable,
  { rows }: SessionWork,
  named: readonly SessionWork[],
): Int32Array {
  const { kind, source } = events.columns;
  const told = new Set(named.flatMap((work) => [...work.rows].map((row) => kind[row])));
  return rows.filter((row) => source[row] === 0 || !told.has(kind[row]));
}

function join(nameless: SessionWork, named: SessionWork): SessionWork {
  const entry = { ...named.entry };
  joinHead(entry, nameless.entry);
  return { entry, rows: Int32Array.from([...nameless.rows, ...named.rows]) };
}
