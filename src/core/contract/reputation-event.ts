/** Reputation events of identities over HTTP. Categories and ranges are checked by the score that reads them. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { batchOf } from './evaluation.ts';
import { name, optionalName, pageOf, pageQuery, timeIn, timeOut, uuid } from './fields.ts';

const category = z.enum(['task_quality', 'economic', 'identity_hygiene']);
const referenceType = z.enum(['', 'session', 'transaction', 'attestation']);

const attributes = z
  .record(name(LIMITS.attributeLengthMax), z.string().max(LIMITS.attributeLengthMax))
  .refine(
    (fields) => Object.keys(fields).length <= LIMITS.attributesMax,
    `must be at most ${LIMITS.attributesMax} attributes`,
  );

const reputationEventIn = z.strictObject({
  event_id: uuid.optional().meta({ description: 'Yours, to make a retry safe; drawn when absent' }),
  identity_id: uuid,
  timestamp: timeIn.optional().meta({ description: 'Now, when absent' }),
  category: z.string().meta({ enum: category.options }),
  event_type: name(),
  score_delta: z.number().meta({ minimum: -LIMITS.scoreDeltaMax, maximum: LIMITS.scoreDeltaMax }),
  confidence: z.number().optional().meta({ minimum: 0, maximum: 1 }),
  reference_type: referenceType.optional(),
  reference_id: optionalName(),
  attributes: attributes.optional(),
  revision: z.int().min(0).optional(),
});
export type ReputationEventIn = z.infer<typeof reputationEventIn>;

export const reputationEventsRequest = batchOf(reputationEventIn).meta({
  example: {
    events: [
      {
        identity_id: '5b0a4c1e-0f0e-5c39-9c5c-0b7c3a1f2d4e',
        category: 'economic',
        event_type: 'payment_completed',
        score_delta: 0.5,
      },
    ],
  },
});

export const reputationEventsAnswer = z.object({ accepted: z.int(), duplicates: z.array(z.string()) });

const reputationEvent = z.object({
  event_id: z.string(),
  identity_id: z.string(),
  timestamp: timeOut,
  category,
  event_type: z.string(),
  score_delta: z.number(),
  confidence: z.number(),
  reference_type: referenceType,
  reference_id: z.string(),
  attributes: z.record(z.string(), z.string()),
  revision: z.int(),
});

export const reputationEventPage = pageOf(reputationEvent);
export const reputationEventQuery = z.strictObject(pageQuery);
