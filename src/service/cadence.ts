/** When a monitor's moments are: names for the usual ones, or cron with five fields, always in UTC. */
import { Cron } from 'croner';
import { RenownError } from '../core/errors.ts';

const MINUTE_MS = 60_000;

const NAMED: Readonly<Record<string, string>> = {
  every_6h: '0 0,6,12,18 * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 1',
};

export interface Cadence {
  /** The first moment after a time. */
  next(after: number): number;
  /** The same; but when there are more than `most` up to a time, the first of the last so many. */
  nextOfLast(after: number, span: { upTo: number; most: number }): number;
}

/** Refuses what is no cadence, and cron that never comes. */
export function parseCadence(text: string): Cadence {
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  const pattern = named ?? (text.startsWith('cron:') ? text.slice('cron:'.length).trim() : '');
  const cron = pattern === '' ? null : parseCron(pattern);
  // A leap day is at most eight years off; what has no moment in that time never has one.
  if (!cron?.nextRun(new Date(0))) {
    throw new RenownError('invalid_request', `cadence ${CADENCE_FAULT}.`, {
      details: [{ path: 'cadence', message: CADENCE_FAULT }],
    });
  }
  const next = (after: number): number => {
    const found = cron.nextRun(new Date(after));
    if (!found) throw new Error(`The cadence ${text} has no moment after ${after}.`);
    return found.getTime();
  };
  return {
    next,
    nextOfLast(after, { upTo, most }) {
      let found = next(after);
      // There is at most one a minute, so that a short span needs no counting: that takes 0.2 ms a moment.
      if (upTo - after <= most * MINUTE_MS) return found;
      // The library drops milliseconds and looks strictly before; a moment is a whole minute, so a second later finds it.
      let before = upTo + 1_000;
      for (let count = 0; count < most; count++) {
        const time = cron.previousRuns(1, new Date(before))[0]?.getTime();
        if (time === undefined || time <= after) break;
        found = time;
        before = time;
      }
      return found;
    },
  };
}

const CADENCE_FAULT =
  'must be every_6h, daily, weekly, or cron: and five fields in UTC that come to pass, as in cron:30 4 1 * *';

const WORD = /^(\*|\d{1,2}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat|)$/i;

/** Plain cron: numbers, names, lists, ranges and steps. What else the library knows is not promised here. */
function parseCron(pattern: string): Cron | null {
  if (!pattern.split(/[ ,/-]/).every((word) => WORD.test(word))) return null;
  try {
    return new Cron(pattern, { timezone: 'UTC', mode: '5-part', paused: true });
  } catch {
    return null;
  }
}
