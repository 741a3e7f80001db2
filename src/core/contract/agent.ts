/** Agents over HTTP: what is known of them, what may be changed, and everything on one card. */
import { z } from 'zod';
import { agentId, name, pageOf, pageQuery, timeOut, uuid } from './fields.ts';
import { identityAnswer } from './identity.ts';
import { assurance, evidence, reputationAnswer } from './reputation.ts';
import { performanceBrief, scoreFigures } from './session-score.ts';

const changes = {
  display_name: name().nullish(),
  public: z.boolean().optional(),
  identity_id: uuid.optional().meta({ description: 'Moves no past events' }),
};

export const agentChange = z
  .strictObject(changes)
  .meta({ example: { display_name: 'Support', public: true } });
export const agentRequest = z
  .strictObject({ agent_id: agentId, ...changes })
  .meta({ example: { agent_id: 'invoice-drafter', display_name: 'Invoices' } });
export type AgentRequest = z.infer<typeof agentRequest>;

export const agentAnswer = z.object({
  agent_id: z.string(),
  identity_id: z.string(),
  display_name: z.string().nullable(),
  public: z.boolean(),
  created_at: timeOut,
});

/** In a list each agent comes with where it stands. */
export const agentPage = pageOf(
  agentAnswer.extend({
    reputation: reputationAnswer.pick({
      score: true,
      lifecycle: true,
      eval_count: true,
      pass_rate: true,
      evidence: true,
      assurance: true,
    }),
  }),
);

export const agentQuery = z.strictObject(pageQuery);

/** What the latest scores of its sessions come to. */
const sessionFigures = scoreFigures.omit({ metric: true }).nullable();

/** What its judged sessions come to, the latest hundred of them. */
const performanceFigures = z.object({
  sessions: z.int(),
  composite: z.number().meta({ minimum: 0, maximum: 10, description: 'The median' }),
  keep: z.int(),
  review: z.int(),
  doff: z.int(),
  latest: performanceBrief.extend({ session_id: z.string() }),
});

/** All five scores of an agent. What nothing was measured for is null. */
export const agentCard = z.object({
  agent: agentAnswer,
  scores: z.object({
    reputation: reputationAnswer,
    agent_reliability: sessionFigures,
    agent_consistency: sessionFigures,
    performance: performanceFigures.nullable(),
    identity: identityAnswer.nullable(),
  }),
});

/** What outsiders see of an agent marked public: below 50 evaluations the lifecycle, and no number. */
export const publicProfile = z.object({
  agent_id: z.string(),
  display_name: z.string().nullable(),
  org: z.string(),
  lifecycle: z.enum(['new', 'calibrating', 'active', 'mature']),
  score: z.int().nullable(),
  label: z.string().meta({ description: 'The score with its band, or `calibrating 17/50`' }),
  lifetime_evaluations: z.int(),
  pass_rate: z.number().nullable(),
  assurance: assurance.nullable(),
  evidence,
});

export const deletedAnswer = z.object({ deleted: z.literal(true) });
