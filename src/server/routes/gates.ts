import { formerSuiteAnswer, suiteAnswer, suiteRequest } from '../../core/contract/gates.ts';
import type { Suite } from '../../gates/suite.ts';
import type { ServiceContext } from '../../service/context.ts';
import { changeGates, showFormerGates, showGates } from '../../service/gate-suites.ts';
import { type Route, route } from '../route.ts';

const tag = 'Gates';
const path = '/v1/gates';

export function gateRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path,
      access: 'pk',
      tag,
      summary: 'The gates that this server judges outputs by',
      answers: { 200: { description: 'The suite and its hash', schema: suiteAnswer } },
      handle: async ({ caller }) => ({ json: await showGates(context, caller) }),
    }),
    route({
      method: 'GET',
      path: `${path}/:suiteHash`,
      access: 'pk',
      tag,
      summary: 'A suite that the org has or had, by its hash',
      answers: { 200: { description: 'The suite', schema: formerSuiteAnswer } },
      handle: async ({ caller, params }) => ({
        json: await showFormerGates(context, caller, params.suiteHash),
      }),
    }),
    route({
      method: 'PUT',
      path,
      access: 'sk',
      tag,
      summary: 'Choose the gates that this server judges outputs by',
      description:
        'The whole suite, as a gate file has it. Evaluations carry its hash; those before it keep theirs.',
      body: suiteRequest,
      answers: { 200: { description: 'The suite as it is now', schema: suiteAnswer } },
      handle: async ({ caller, body }) => ({
        json: await changeGates(context, caller, body as unknown as Suite),
      }),
    }),
    route({
      method: 'DELETE',
      path,
      access: 'sk',
      tag,
      summary: 'Go back to the default gates',
      answers: { 200: { description: 'The default suite', schema: suiteAnswer } },
      handle: async ({ caller }) => ({ json: await changeGates(context, caller, null) }),
    }),
  ];
}
