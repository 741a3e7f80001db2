/** What the OTLP receiver answers in JSON; the protocol spells it. */
import { z } from 'zod';

const count = z.string().optional().meta({ description: 'A whole number' });

export const exportAnswer = z.object({
  partialSuccess: z
    .object({
      rejectedLogRecords: count,
      rejectedSpans: count,
      rejectedDataPoints: count,
      errorMessage: z.string(),
    })
    .optional()
    .meta({ description: 'Absent when everything was taken' }),
});
