/** The gates that an org's outputs are judged by. What a suite may say is checked where suites are opened, for every door. */
import { z } from 'zod';
import { timeOut } from './fields.ts';

const suite = z.object({
  timeout_ms: z.number().optional(),
  fail_fast: z.boolean().optional(),
  gates: z.array(z.unknown()).meta({ description: 'Names of gates, or one name with its options each' }),
});

export const suiteRequest = z.looseObject({}).meta({
  description: 'A suite as a gate file has it',
  example: { gates: ['filesystem', 'pii', 'secrets', { pattern: { deny: ['internal only'] } }] },
});

export const suiteAnswer = z.object({
  suite_hash: z.string(),
  suite,
  is_default: z.boolean(),
  set_at: timeOut.nullable(),
});

export const formerSuiteAnswer = z.object({ suite_hash: z.string(), suite });
