import { z } from 'zod';

/** What a case of a test suite carries beside its input. Accepted and ignored; any other unknown field is refused. */
export const annotations = {
  name: z.string().optional(),
  metric: z.string().optional(),
  expected: z.unknown().optional(),
};
