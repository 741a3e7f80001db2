import { z } from 'zod';
import type { Category, IdentityEvent, IdentityScore } from '../identity.ts';
import { annotations } from './annotations.ts';

/** Events of one identity; times in epoch milliseconds. Categories and ranges are checked in core. */
export const identityInput = z.strictObject({
  ...annotations,
  now: z.number().optional(),
  events: z.array(z.object({ timestamp: z.number(), category: z.string(), score_delta: z.number() })),
});

export function toIdentityEvents({ events }: z.infer<typeof identityInput>): IdentityEvent[] {
  return events.map(({ timestamp, category, score_delta }) => ({
    timestamp,
    category: category as Category,
    scoreDelta: score_delta,
  }));
}

export function toIdentityWire(score: IdentityScore) {
  return {
    overall_score: score.overallScore,
    task_quality_score: score.categoryScores.task_quality,
    economic_score: score.categoryScores.economic,
    identity_hygiene_score: score.categoryScores.identity_hygiene,
    total_events: score.totalEvents,
    positive_events: score.positiveEvents,
    negative_events: score.negativeEvents,
    confidence: score.confidence,
    score_7d_ago: score.score7dAgo,
    score_30d_ago: score.score30dAgo,
  };
}
