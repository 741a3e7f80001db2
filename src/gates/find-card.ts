/** Payment cards: a length and a prefix that a network gives out, and a valid check digit. */
import { DASH, type DigitGroups, SPACE } from './digit-groups.ts';
import { hasSizes } from './find-phone.ts';

const NETWORKS =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14})$/;

const GROUPINGS = ['4444', '465', '464'];

/** How many groups from here are the number of a card, or 0. */
export function findCard(groups: DigitGroups, group: number): number {
  const size = groups.size(group);
  if (size !== 4 && (size < 14 || size > 16)) return 0;
  // Networks begin with 2 to 6.
  const first = groups.text.charCodeAt(groups.start(group));
  if (first < 50 || first > 54) return 0;
  const count = size === 4 ? groupedCount(groups, group) : 1;
  if (count === 0 || !groups.standsAlone(group, count) || !hasLuhn(groups, group, count)) return 0;
  return NETWORKS.test(groups.digits(group, count)) ? count : 0;
}

function groupedCount(groups: DigitGroups, group: number): number {
  const gap = groups.gap(group);
  if (gap !== SPACE && gap !== DASH) return 0;
  for (const sizes of GROUPINGS) if (hasSizes(groups, group, sizes, gap)) return sizes.length;
  return 0;
}

/** ISO/IEC 7812-1, annex B. */
function hasLuhn(groups: DigitGroups, group: number, count: number): boolean {
  let sum = 0;
  let doubles = false;
  for (let i = group + count - 1; i >= group; i--) {
    for (let at = groups.end(i) - 1; at >= groups.start(i); at--) {
      const digit = groups.text.charCodeAt(at) - 48;
      sum += !doubles ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit;
      doubles = !doubles;
    }
  }
  return sum % 10 === 0;
}
