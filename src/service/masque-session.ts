/** Which masque was worn when, as `.claude/masque.session.yaml` tells it. */
import type { Window } from '../telemetry/session-summary.ts';

export interface MasqueSession {
  active?: { name: string; donnedAt: number | null } | undefined;
  previous?: { name: string; doffedAt: number | null } | undefined;
}

export interface Worn {
  masque: string;
  window: Window;
}

/** The smallest difference of two times. */
const TICK_MS = 0.001;
const NEVER: Window = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/**
 * The parts of a session that a masque was worn in, each to be scored apart. Times that fall inside the session cut it;
 * a masque donned before it is worn from its beginning, one doffed after it to its end. Empty when none was worn.
 */
export function wornDuring({ active, previous }: MasqueSession, first: number, last: number): Worn[] {
  const worn: Worn[] = [];
  const donnedAt = active?.donnedAt ?? null;
  if (previous && (previous.doffedAt === null || previous.doffedAt > first)) {
    const doffedAt = previous.doffedAt !== null && previous.doffedAt <= last ? previous.doffedAt : NEVER.to;
    // What happens at the moment of a change happens under the new one.
    const to = doffedAt === donnedAt ? doffedAt - TICK_MS : doffedAt;
    // Without a doffing inside the session, a masque that is still active now has taken its place at the latest.
    const isReplaced = to === NEVER.to && active !== undefined && (donnedAt === null || donnedAt <= first);
    if (!isReplaced) worn.push({ masque: previous.name, window: { from: NEVER.from, to } });
  }
  if (active && (donnedAt === null || donnedAt <= last)) {
    const from = donnedAt !== null && donnedAt > first ? donnedAt : NEVER.from;
    worn.push({ masque: active.name, window: { from, to: NEVER.to } });
  }
  return worn;
}
