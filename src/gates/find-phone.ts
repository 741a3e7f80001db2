/** Telephone numbers: E.164 with its plus sign, and the national forms of North America, Britain, France and Germany. */
import type { DigitGroups } from './digit-groups.ts';

const SEPARATOR = /^(?:[ .\-/\u00a0]|\) ?|[ -]\(|\)-)$/;

/** How many groups from here are a telephone number, and where it opens; undefined when they are none. */
export function findPhone(
  groups: DigitGroups,
  group: number,
): { count: number; opening: number } | undefined {
  const size = groups.size(group);
  if (size > 15) return undefined;
  const start = groups.start(group);
  if (groups.text.charCodeAt(start - 1) === 43) return findInternational(groups, group, start - 1);
  if (size === 3 || size === 1) return findAmerican(groups, group) ?? findNational(groups, group);
  return size <= 5 ? findNational(groups, group) : undefined;
}

function findInternational(groups: DigitGroups, group: number, plus: number) {
  if (/[\w)\].]/.test(groups.text.charAt(plus - 1)) || groups.text.charCodeAt(plus + 1) === 48)
    return undefined;
  let count = 1;
  let digits = groups.size(group);
  while (
    count < 7 &&
    SEPARATOR.test(groups.gap(group + count - 1) ?? '') &&
    digits + groups.size(group + count) <= 15
  ) {
    digits += groups.size(group + count);
    count++;
  }
  const enough = count === 1 ? 10 : 8;
  if (digits < enough || /^\w/.test(groups.text.charAt(groups.end(group + count - 1)))) return undefined;
  return { count, opening: plus };
}

/** `212-555-1234`, `(212) 555-1234`, `212.555.1234`, `1-212-555-1234`. */
function findAmerican(groups: DigitGroups, group: number) {
  const first = groups.size(group) === 1 && groups.digits(group, 1) === '1' ? group + 1 : group;
  if (groups.size(first) !== 3 || groups.size(first + 1) !== 3 || groups.size(first + 2) !== 4)
    return undefined;
  const bracket = groups.text.charCodeAt(groups.start(first) - 1) === 40;
  const [one, two] = [groups.gap(first), groups.gap(first + 1)];
  const separated = bracket
    ? /^\)[ -]?$/.test(one ?? '') && /^[-. ]$/.test(two ?? '')
    : one === two && /^[-.]$/.test(one ?? '');
  if (!separated) return undefined;
  const digits = groups.digits(first, 3);
  // Area codes and exchanges begin with 2–9; 555-0100 to 555-0199 are kept for fiction.
  if (!/^[2-9]\d\d[2-9]\d{6}$/.test(digits) || /^\d{3}55501/.test(digits)) return undefined;
  const opening = groups.start(group) - (bracket && first === group ? 1 : 0);
  const count = first + 3 - group;
  return groups.standsAlone(group, count, opening) ? { count, opening } : undefined;
}

/** Sizes of groups that begin with the trunk prefix 0: France, then Britain, then Germany. */
const NATIONAL = [
  [2, 2, 2, 2, 2],
  [3, 4, 4],
  [4, 3, 4],
  [4, 3, 3],
  [5, 6],
  [5, 3, 3],
  [4, 7],
  [4, 8],
  [3, 8],
  [3, 7],
];

function findNational(groups: DigitGroups, group: number) {
  const start = groups.start(group);
  // A zero, and then no second one: 00 begins other things.
  if (groups.text.charCodeAt(start) !== 48 || groups.text.charCodeAt(start + 1) === 48) return undefined;
  for (const sizes of NATIONAL) {
    if (sizes.some((size, i) => groups.size(group + i) !== size)) continue;
    const gaps = sizes.slice(1).map((_, i) => groups.gap(group + i));
    if (!/^[ .\-/]$/.test(gaps[0] ?? '') || !gaps.every((gap) => gap === gaps[0])) continue;
    // One more group of two, before or behind, would make it a list of numbers.
    if (sizes.length === 5 && [group - 1, group + 4].some((other) => groups.gap(other) === gaps[0])) continue;
    if (groups.standsAlone(group, sizes.length)) return { count: sizes.length, opening: start };
  }
  return undefined;
}
