/** Telephone numbers: E.164 with its plus sign, and the national forms of North America, Britain, France and Germany. */
import { DASH, type DigitGroups, DOT, SLASH, SPACE } from './digit-groups.ts';

const ZERO = 48;
const ONE = 49;
const CLOSING = 41;

/** How many groups from here are a telephone number, or 0. */
export function findPhone(groups: DigitGroups, group: number): number {
  const size = groups.size(group);
  if (size > 15) return 0;
  if (groups.hasPlus(group)) return findInternational(groups, group);
  if (groups.text.charCodeAt(groups.start(group)) === ZERO) return findNational(groups, group);
  return size === 3 || size === 1 ? findAmerican(groups, group) : 0;
}

function isSeparator(code: number): boolean {
  return code === SPACE || code === DASH || code === DOT || code === SLASH || code === CLOSING;
}

function findInternational(groups: DigitGroups, group: number): number {
  const plus = groups.start(group) - 1;
  // North America has eleven digits and four in the last group; `+1700000000` is a time that a diff adds.
  const american = groups.text.charCodeAt(plus + 1) === ONE;
  const digitsMax = american ? 11 : 15;
  let count = 1;
  let digits = groups.size(group);
  while (
    count < 7 &&
    isSeparator(groups.gap(group + count - 1)) &&
    digits + groups.size(group + count) <= digitsMax
  ) {
    digits += groups.size(group + count);
    count++;
  }
  // Without separators a short one may as well be a number that somebody added.
  if (american ? digits !== 11 || groups.size(group + count - 1) < 4 : digits < (count === 1 ? 10 : 8))
    return 0;
  if (/[\w)\].]/.test(groups.text.charAt(plus - 1)) || groups.text.charCodeAt(plus + 1) === ZERO) return 0;
  return /^\w/.test(groups.text.charAt(groups.end(group + count - 1))) ? 0 : count;
}

/** `212-555-1234`, `(212) 555-1234`, `212.555.1234`, `1-212-555-1234`. */
function findAmerican(groups: DigitGroups, group: number): number {
  const first =
    groups.size(group) === 1 && groups.text.charCodeAt(groups.start(group)) === ONE ? group + 1 : group;
  if (groups.size(first) !== 3 || groups.size(first + 1) !== 3 || groups.size(first + 2) !== 4) return 0;
  const bracket = groups.isBracketed(first);
  const [one, two] = [groups.gap(first), groups.gap(first + 1)];
  const separated = bracket
    ? isSeparator(one) && isSeparator(two)
    : one === two && (one === DASH || one === DOT);
  if (!separated) return 0;
  const digits = groups.digits(first, 3);
  // Area codes and exchanges begin with 2–9; 555-0100 to 555-0199 are kept for fiction.
  if (!/^[2-9]\d\d[2-9]\d{6}$/.test(digits) || /^\d{3}55501/.test(digits)) return 0;
  const opening = groups.start(group) - (bracket && first === group ? 1 : 0);
  const count = first + 3 - group;
  return groups.standsAlone(group, count, opening) ? count : 0;
}

/** Sizes of groups by that of the first, which begins with the trunk prefix 0: France, Britain, Germany. Most numbers have none. */
const NATIONAL: readonly string[][] = [
  [],
  [],
  ['22222'],
  ['344', '38', '37'],
  ['434', '433', '47', '48'],
  ['56', '533'],
];

function findNational(groups: DigitGroups, group: number): number {
  const candidates = NATIONAL[groups.size(group)] ?? [];
  // A zero, and then no second one: 00 begins other things.
  if (candidates.length === 0 || groups.text.charCodeAt(groups.start(group) + 1) === ZERO) return 0;
  const gap = groups.gap(group);
  if (gap !== SPACE && gap !== DASH && gap !== DOT && gap !== SLASH) return 0;
  for (const sizes of candidates) {
    // One more group of two, before or behind, would make it a list of numbers.
    if (sizes.length === 5 && (groups.gap(group - 1) === gap || groups.gap(group + 4) === gap)) continue;
    if (hasSizes(groups, group, sizes, gap) && groups.standsAlone(group, sizes.length)) return sizes.length;
  }
  return 0;
}

/** Whether the groups from here have these sizes, a digit each, with one and the same separator between them. */
export function hasSizes(groups: DigitGroups, group: number, sizes: string, gap: number): boolean {
  for (let i = 0; i < sizes.length; i++) {
    if (groups.size(group + i) !== sizes.charCodeAt(i) - ZERO) return false;
    if (i > 0 && groups.gap(group + i - 1) !== gap) return false;
  }
  return true;
}
