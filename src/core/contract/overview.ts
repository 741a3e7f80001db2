/** All agents of an org on one page: where each stands, how sure that is, and its last thirty days. */
import { z } from 'zod';
import { agentAnswer } from './agent.ts';
import { timeOut } from './fields.ts';
import { assurance, reputationAnswer } from './reputation.ts';

const counts = z.array(z.int());

export const overviewAnswer = z.object({
  first_day: timeOut.meta({ description: 'When the first of the days began, in UTC' }),
  days: z.int(),
  truncated: z.boolean().meta({ description: 'There are more agents than one overview shows' }),
  agents: z.array(
    agentAnswer.pick({ agent_id: true, display_name: true, public: true }).extend({
      ...reputationAnswer.pick({
        score: true,
        lifecycle: true,
        eval_count: true,
        pass_rate: true,
        lifetime_evaluations: true,
        evidence: true,
      }).shape,
      ...assurance.pick({ score_low: true, score_high: true }).shape,
      last_seen: timeOut.nullable().meta({ description: 'When its last counting evaluation arrived' }),
      daily: z.object({ evaluations: counts, passed: counts }).nullable().meta({
        description: 'What counted on each of the days, oldest first; null for none in all of them',
      }),
    }),
  ),
});
