/** Payment cards: a length and a prefix that a network gives out, and a valid check digit. */
import type { DigitGroups } from './digit-groups.ts';

const NETWORKS =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14})$/;

const GROUPINGS = [
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
];

/** How many groups from here are the number of a card, or 0. */
export function findCard(groups: DigitGroups, group: number): number {
  const size = groups.size(group);
  const count = size >= 14 && size <= 16 ? 1 : size === 4 ? groupedCount(groups, group) : 0;
  if (count === 0 || !groups.standsAlone(group, count)) return 0;
  const digits = groups.digits(group, count);
  return NETWORKS.test(digits) && hasLuhn(digits) ? count : 0;
}

function groupedCount(groups: DigitGroups, group: number): number {
  const gap = groups.gap(group);
  if (gap !== ' ' && gap !== '-') return 0;
  const sizes = GROUPINGS.find((candidate) =>
    candidate.every(
      (size, i) => groups.size(group + i) === size && (i === 0 || groups.gap(group + i - 1) === gap),
    ),
  );
  return sizes?.length ?? 0;
}

/** ISO/IEC 7812-1, annex B. */
function hasLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
