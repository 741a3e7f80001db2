import type { SessionScore } from './session-metric.ts';

export const QUADRANTS = [
  'safe and smooth',
  'safe but uneven',
  'predictable but not good',
  'unreliable and unstable',
] as const;
export type Quadrant = (typeof QUADRANTS)[number];

/**
 * Both session metrics in one word: reliability asks how bad the worst was, consistency how steady the whole.
 * The line on each axis is that metric's threshold. Without evidence for both there is no quadrant.
 */
export function quadrantOf(
  reliability: Pick<SessionScore, 'passed'>,
  consistency: Pick<SessionScore, 'passed'>,
): Quadrant | null {
  if (reliability.passed === null || consistency.passed === null) return null;
  if (reliability.passed) return consistency.passed ? 'safe and smooth' : 'safe but uneven';
  return consistency.passed ? 'predictable but not good' : 'unreliable and unstable';
}
