import { z } from 'zod';
import { identityAnswer } from '../../core/contract/identity.ts';
import {
  reputationEventPage,
  reputationEventQuery,
  reputationEventsAnswer,
  reputationEventsRequest,
} from '../../core/contract/reputation-event.ts';
import type { ServiceContext } from '../../service/context.ts';
import { appendReputationEvents, listReputationEvents, readIdentity } from '../../service/identities.ts';
import { withSignature } from '../../service/signatures.ts';
import { type Route, route } from '../route.ts';
import { SIGNATURE_HEADER, signatureOf } from './signature.ts';

const tag = 'Identities';

export function identityRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/reputation-events',
      access: 'pk',
      tag,
      summary: 'Report events of identities',
      description: 'The same event id and revision counts once. May be signed with X-Renown-Signature.',
      headers: SIGNATURE_HEADER,
      body: reputationEventsRequest,
      answers: { 202: { description: 'On disk', schema: reputationEventsAnswer } },
      async handle({ caller, body, bytes, request }) {
        const work = () => appendReputationEvents(context, caller, body.events);
        return {
          status: 202,
          json: await withSignature(context, caller, { ...signatureOf(request), body: bytes, work }),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/identities/:identityId/reputation',
      access: 'pk',
      tag,
      summary: 'What 90 days of events say about an identity',
      answers: {
        200: { description: 'Computed now', schema: identityAnswer.extend({ identity_id: z.string() }) },
      },
      handle: async ({ caller, params }) => ({
        json: await readIdentity(context, caller, params.identityId),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/identities/:identityId/events',
      access: 'pk',
      tag,
      summary: 'The events of an identity, newest first',
      query: reputationEventQuery,
      answers: { 200: { description: 'A page', schema: reputationEventPage } },
      handle: async ({ caller, params, query }) => ({
        json: await listReputationEvents(context, caller, { ...query, ...params }),
      }),
    }),
  ];
}
