/** The evaluations that a reputation is made from, and what each gate said to them. */
import { z } from 'zod';
import { storedEvaluation } from './evaluation.ts';
import { timeOut } from './fields.ts';

export const windowAnswer = z.object({
  agent_id: z.string(),
  items: z.array(
    storedEvaluation
      .pick({
        evaluation_id: true,
        passed: true,
        tool: true,
        total_latency_ms: true,
        latency_ms: true,
        known_as: true,
        received_at: true,
      })
      .extend({ failed_gates: z.array(z.string()) }),
  ),
  gates: z
    .array(
      z.object({
        name: z.string(),
        passed: z.int(),
        failed: z.int(),
        not_run: z.int().meta({ description: 'Skipped, or stopped because another had failed' }),
        last_failure: z
          .object({ at: timeOut, evaluation_id: z.string(), reason: z.string().nullable() })
          .nullable(),
      }),
    )
    .meta({ description: 'The one that failed most comes first' }),
});
