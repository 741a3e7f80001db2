import {
  agentAnswer,
  agentCard,
  agentChange,
  agentPage,
  agentQuery,
  agentRequest,
  deletedAnswer,
} from '../../core/contract/agent.ts';
import { overviewAnswer } from '../../core/contract/overview.ts';
import { deleteAgent, listAgents, putAgent, readAgent, readCard } from '../../service/agents.ts';
import type { ServiceContext } from '../../service/context.ts';
import { readOverview } from '../../service/overview.ts';
import { type Route, route } from '../route.ts';

const tag = 'Agents';

export function agentRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/agents',
      access: 'pk',
      tag,
      summary: 'List agents with where they stand',
      query: agentQuery,
      answers: { 200: { description: 'A page, in the order of their ids', schema: agentPage } },
      handle: async ({ caller, query }) => ({ json: await listAgents(context, caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/overview',
      access: 'pk',
      tag,
      summary: 'All agents with where they stand, how sure that is, and their last thirty days',
      answers: { 200: { description: 'In the order of their ids', schema: overviewAnswer } },
      handle: async ({ caller }) => ({ json: await readOverview(context, caller) }),
    }),
    route({
      method: 'POST',
      path: '/v1/agents',
      access: 'sk',
      tag,
      summary: 'Create an agent before its first use',
      body: agentRequest,
      answers: { 201: { description: 'The agent', schema: agentAnswer } },
      handle: async ({ caller, body }) => ({
        status: 201,
        json: await putAgent(context, caller, { ...body, expected: 'new' }),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/agents/:agentId',
      access: 'pk',
      tag,
      summary: 'One agent',
      answers: { 200: { description: 'What is known of it', schema: agentAnswer } },
      handle: async ({ caller, params }) => ({ json: await readAgent(context, caller, params.agentId) }),
    }),
    route({
      method: 'PATCH',
      path: '/v1/agents/:agentId',
      access: 'sk',
      tag,
      summary: 'Change the name of an agent, its identity, or whether it is public',
      body: agentChange,
      answers: { 200: { description: 'The agent as it is now', schema: agentAnswer } },
      handle: async ({ caller, params, body }) => ({
        json: await putAgent(context, caller, { ...body, agent_id: params.agentId, expected: 'known' }),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/agents/:agentId',
      access: 'sk',
      tag,
      summary: 'Delete an agent with all its evaluations and events',
      answers: { 200: { description: 'Gone', schema: deletedAnswer } },
      handle: async ({ caller, params }) => ({ json: await deleteAgent(context, caller, params.agentId) }),
    }),
    route({
      method: 'GET',
      path: '/v1/agents/:agentId/card',
      access: 'pk',
      tag,
      summary: 'All five scores of an agent',
      answers: { 200: { description: 'Null where nothing was measured', schema: agentCard } },
      handle: async ({ caller, params }) => ({ json: await readCard(context, caller, params.agentId) }),
    }),
  ];
}
