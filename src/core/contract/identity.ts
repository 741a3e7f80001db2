import { z } from 'zod';
import type { Category, IdentityEvent, IdentityScore } from '../identity.ts';
import { annotations } from './annotations.ts';
import { anyFields } from './parse.ts';

/** Events of one identity; times in epoch milliseconds. Categories and ranges are checked in core. */
export const identityInput = z.strictObject({
  ...annotations,
  now: z.number().optional(),
  events: z.array(
    z.strictObject({
      timestamp: z.number(),
      category: z.string(),
      score_delta: z.number(),
      confidence: z.number().optional(),
      // What else an event of the ledger carries, and no score reads.
      event_id: z.string().optional(),
      identity_id: z.string().optional(),
      event_type: z.string().optional(),
      reference_type: z.string().optional(),
      reference_id: z.string().optional(),
      attributes: anyFields.optional(),
      revision: z.number().optional(),
    }),
  ),
});

export function toIdentityEvents({ events }: z.infer<typeof identityInput>): IdentityEvent[] {
  return events.map(({ timestamp, category, score_delta, confidence }) => ({
    timestamp,
    category: category as Category,
    scoreDelta: score_delta,
    confidence,
  }));
}

export const identityAnswer = z.object({
  overall_score: z.number(),
  task_quality_score: z.number(),
  economic_score: z.number(),
  identity_hygiene_score: z.number(),
  total_events: z.int(),
  positive_events: z.int(),
  negative_events: z.int(),
  confidence: z.number(),
  score_7d_ago: z.number(),
  score_30d_ago: z.number(),
});

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
