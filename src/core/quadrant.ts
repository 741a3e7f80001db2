import type { SessionScore } from './session-metric.ts';

export type Quadrant =
  | 'safe and smooth'
  | 'safe but uneven'
  | 'predictable but not good'
  | 'unreliable and unstable';

/**
 * Both session metrics in one word: reliability asks how bad the worst was, consistency how steady the whole.
 * The line on each axis is that metric's threshold. Without evidence for both there is no quadrant.
 */
export function quadrantOf(reliability: SessionScore, consistency: SessionScore): Quadrant | null {
  if (reliability.passed === null || consistency.passed === null) return null;
  if (reliability.passed) return consistency.passed ? 'safe and smooth' : 'safe but uneven';
  return consistency.passed ? 'predictable but not good' : 'unreliable and unstable';
}
