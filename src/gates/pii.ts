import { DASH, DigitGroups } from './digit-groups.ts';
import { findCard } from './find-card.ts';
import { findEmail } from './find-email.ts';
import { findIban } from './find-iban.ts';
import { findPhone } from './find-phone.ts';
import type { Gate } from './gate.ts';
import { foundNothing, type Offence, toFinding } from './offence.ts';
import type { Sightings } from './sightings.ts';
import { sightingsOf } from './text.ts';

export interface PiiOptions {
  email?: boolean;
  phone?: boolean;
  ssn?: boolean;
  card?: boolean;
  iban?: boolean;
  /** What may appear: a whole address or number, or `@domain` for every mailbox there. */
  allow?: readonly string[];
}

/** Fails on data of persons: e-mail addresses, telephone numbers, US social security numbers, payment cards and IBANs. */
export function pii(options: PiiOptions = {}): Gate {
  const { email = true, phone = true, ssn = true, card = true, iban = true, allow = [] } = options;
  const allowed = new Set(allow.map(normalise));
  const finders: ((sightings: Sightings) => Offence | undefined)[] = [];
  if (email) finders.push((sightings) => findEmails(sightings, allowed));
  if (iban) finders.push((sightings) => findIbans(sightings, allowed));
  if (card || ssn || phone)
    finders.push((sightings) => findNumbers(sightings, allowed, { card, ssn, phone }));
  return {
    name: 'pii',
    run(context) {
      const sightings = sightingsOf(context);
      for (const find of finders) {
        const offence = find(sightings);
        if (offence) return toFinding(offence, sightings);
      }
      return foundNothing(sightings);
    },
  };
}

function findEmails({ text, ats }: Sightings, allowed: ReadonlySet<string>): Offence | undefined {
  for (const at of ats) {
    const address = findEmail(text, at)?.toLowerCase();
    if (address === undefined || allowed.has(address) || allowed.has(address.slice(address.indexOf('@'))))
      continue;
    return { reason: 'An e-mail address.', at };
  }
  return undefined;
}

function findIbans({ text, ibans }: Sightings, allowed: ReadonlySet<string>): Offence | undefined {
  for (const at of ibans) {
    const end = findIban(text, at);
    if (end !== undefined && !allowed.has(normalise(text.slice(at, end)))) return { reason: 'An IBAN.', at };
  }
  return undefined;
}

function findNumbers(
  sightings: Sightings,
  allowed: ReadonlySet<string>,
  kinds: { card: boolean; ssn: boolean; phone: boolean },
): Offence | undefined {
  const groups = new DigitGroups(sightings);
  const isNew = (group: number, count: number) => count > 0 && !allowed.has(groups.digits(group, count));
  const { count } = groups;
  for (let group = 0; group < count; group++) {
    if (groups.isPlain(group)) continue;
    const at = groups.start(group);
    if (kinds.card && isNew(group, findCard(groups, group)))
      return { reason: 'The number of a payment card.', at };
    if (kinds.ssn && isNew(group, findSsn(groups, group)))
      return { reason: 'A US social security number.', at };
    if (kinds.phone && isNew(group, findPhone(groups, group))) return { reason: 'A telephone number.', at };
  }
  return undefined;
}

/** `123-45-6789` in a range that was ever given out, and neither of the two that advertisements made famous. */
function findSsn(groups: DigitGroups, group: number): number {
  if (groups.size(group) !== 3 || groups.size(group + 1) !== 2 || groups.size(group + 2) !== 4) return 0;
  if (groups.gap(group) !== DASH || groups.gap(group + 1) !== DASH || !groups.standsAlone(group, 3)) return 0;
  const digits = groups.digits(group, 3);
  if (digits === '078051120' || digits === '219099999') return 0;
  return /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(digits) ? 3 : 0;
}

/** Letters in lower case, numbers without what separates their groups. */
function normalise(entry: string): string {
  const text = entry.trim().toLowerCase();
  return text.includes('@') ? text : text.replace(/[^a-z0-9]/g, '');
}
