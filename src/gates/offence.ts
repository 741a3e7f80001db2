import { type GateFinding, PASSED, Undecided } from './gate.ts';
import type { Sightings } from './sightings.ts';

/** What a scanning gate has found: a short sentence that quotes nothing, and where in the walked text it stands. */
export interface Offence {
  reason: string;
  at: number;
}

/** What a scanning gate answers: the offence as its reason, its place only in the details. */
export function toFinding(offence: Offence | undefined, sightings: Sightings): GateFinding {
  if (!offence) return foundNothing(sightings);
  return { passed: false, reason: offence.reason, details: { at: offence.at } };
}

/** Of a text that was cut off nobody can say that nothing is in it: padding would be a way past every gate. */
export function foundNothing({ isCut }: Sightings): GateFinding {
  if (isCut)
    throw new Undecided('The text is longer or deeper than a gate reads, and nothing was found up to there.');
  return PASSED;
}
