import { z } from 'zod';

/**
 * What a case of a test suite carries beside its input, accepted and ignored, so that a file of golden cases can be
 * scored as it is. Any other unknown field is refused: it is most likely a misspelt one.
 */
export const annotations = {
  name: z.string().optional(),
  metric: z.string().optional(),
  expected: z.unknown().optional(),
};
