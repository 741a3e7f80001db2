/**
 * What was done in each session under each masque. Records that name no masque belong to the one that the session has,
 * where it has exactly one: a transcript, which names none, tells of the same work as the telemetry beside it.
 */
import { joinHead } from '../core/session-head.ts';
import { inOrder, rowsBySession } from './session-summary.ts';
import type { SessionEntry, SessionTable } from './session-table.ts';

export interface SessionWork {
  entry: SessionEntry;
  /** In the order of their time. */
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
  return [...sessions.values()].map((works) => (works.length === 2 ? join(table, works) : works));
}

function join(table: SessionTable, works: SessionWork[]): SessionWork[] {
  const [nameless, named] = works.toSorted((a, b) => (a.entry.masque < b.entry.masque ? -1 : 1));
  if (!nameless || !named || nameless.entry.masque !== '') return works;
  const entry = { ...named.entry };
  joinHead(entry, nameless.entry);
  return [{ entry, rows: inOrder(table, Int32Array.from([...nameless.rows, ...named.rows])) }];
}
