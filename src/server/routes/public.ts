import { publicProfile } from '../../core/contract/agent.ts';
import { readPublicProfile } from '../../service/agents.ts';
import type { ServiceContext } from '../../service/context.ts';
import { renderBadge } from '../badge.ts';
import { type Route, route } from '../route.ts';

const tag = 'Public';
const description = 'For agents marked public; below 50 evaluations it tells the lifecycle and no number.';

export function publicRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/public/:org/:agentId',
      access: 'anyone',
      tag,
      summary: 'What outsiders may know of an agent',
      description,
      answers: { 200: { description: 'The profile', schema: publicProfile } },
      handle: async ({ params }) => ({ json: await readPublicProfile(context, params.org, params.agentId) }),
    }),
    route({
      method: 'GET',
      path: '/public/:org/:agentId/badge.svg',
      access: 'anyone',
      tag,
      summary: 'The badge of an agent',
      description,
      answers: { 200: { description: 'An image', type: 'image/svg+xml' } },
      async handle({ params }) {
        const profile = await readPublicProfile(context, params.org, params.agentId);
        const { display_name, agent_id, label, score } = profile;
        const body = renderBadge({ name: display_name ?? agent_id, label, score });
        return {
          text: { type: 'image/svg+xml; charset=utf-8', body },
          headers: ['Cache-Control', 'public, max-age=300', 'Content-Security-Policy', "default-src 'none'"],
        };
      },
    }),
  ];
}
