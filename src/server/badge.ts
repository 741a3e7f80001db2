/** The badge of an agent: its name at the left, its score or lifecycle at the right. */
import { escapeHtml } from './page.ts';

interface BadgeInput {
  name: string;
  label: string;
  /** Null below the number of evaluations that a public score needs. */
  score: number | null;
}

const HEIGHT = 20;
const PADDING = 8;
const NAME_CHARACTERS_MAX = 40;

/** Widths are fixed by `textLength`, so that the text fills its box in every font. */
export function renderBadge({ name, label, score }: BadgeInput): string {
  const shown = shorten(name);
  const [left, right] = [widthOf(shown) + 2 * PADDING, widthOf(label) + 2 * PADDING];
  const width = left + right;
  const title = escapeHtml(`${name}: ${label}`);
  const text = (content: string, from: number, box: number) =>
    `<text x="${from + box / 2}" y="14" textLength="${box - 2 * PADDING}" lengthAdjust="spacingAndGlyphs">${escapeHtml(content)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${title}"><title>${title}</title><clipPath id="r"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="${HEIGHT}" fill="#3b3f46"/><rect x="${left}" width="${right}" height="${HEIGHT}" fill="${colourOf(score)}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${text(shown, 0, left)}${text(label, left, right)}</g></svg>
`;
}

/** By whole characters, as people count them: an emoji is never cut in two. */
function shorten(name: string): string {
  const characters = [...new Intl.Segmenter('en').segment(name)].map(({ segment }) => segment);
  if (characters.length <= NAME_CHARACTERS_MAX) return name;
  return `${characters.slice(0, NAME_CHARACTERS_MAX - 1).join('')}…`;
}

/** About as wide as the text is in an 11-pixel sans-serif: narrow, usual and wide characters. */
function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    if (/^[iljtf.,:;!'|()[\]\u0020/]$/.test(segment)) width += 4;
    else if (/^[mwMW@%]$/.test(segment)) width += 10;
    else if (/^[\u0020-\u02ff\u0370-\u058f\u2026]$/.test(segment)) width += 7;
    else width += 13;
  }
  return Math.max(8, Math.round(width));
}

function colourOf(score: number | null): string {
  if (score === null) return '#6b7280';
  if (score >= 800) return '#15803d';
  if (score >= 600) return '#4d7c0f';
  return score >= 400 ? '#b45309' : '#b91c1c';
}
