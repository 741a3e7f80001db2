import { type GateFinding, PASSED } from './gate.ts';

/** What a scanning gate has found: a short sentence that quotes nothing, and where in the walked text it stands. */
export interface Offence {
  reason: string;
  at: number;
}

/** What a scanning gate answers: the offence as its reason, its place only in the details. */
export function toFinding(offence: Offence | undefined): GateFinding {
  return offence ? { passed: false, reason: offence.reason, details: { at: offence.at } } : PASSED;
}
