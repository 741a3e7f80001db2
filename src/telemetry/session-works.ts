/** What was done in each session under each masque. */
import { rowsBySession } from './session-summary.ts';
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
  return [...sessions.values()];
}
