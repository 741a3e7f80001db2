import {
  evaluateAnswer,
  evaluateRequest,
  evaluationPage,
  evaluationQuery,
  ingestAnswer,
  ingestRequest,
  storedEvaluation,
  voidRequest,
} from '../../core/contract/evaluation.ts';
import { historyAnswer, historyQuery, reputationAnswer } from '../../core/contract/reputation.ts';
import type { ServiceContext } from '../../service/context.ts';
import { evaluate } from '../../service/evaluate.ts';
import { listEvaluations, readEvaluation, voidEvaluation } from '../../service/evaluations.ts';
import { ingest } from '../../service/ingest.ts';
import { readHistory, readReputation } from '../../service/reputation.ts';
import { withSignature } from '../../service/signatures.ts';
import { type Route, route } from '../route.ts';
import { SIGNATURE_HEADER, signatureOf } from './signature.ts';

export function evaluationRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/evaluate',
      access: 'pk',
      tag: 'Evaluations',
      summary: 'Run the gates over one output',
      description:
        'Answers 200 whether it passed or not. The texts are looked at and dropped. The answer comes after the verdict is on disk.',
      body: evaluateRequest,
      answers: { 200: { description: 'The verdict, and where the agent stands', schema: evaluateAnswer } },
      handle: async ({ caller, body }) => ({ json: await evaluate(context, caller, body) }),
    }),
    route({
      method: 'POST',
      path: '/v1/ingest',
      access: 'pk',
      tag: 'Evaluations',
      summary: 'Report finished evaluations',
      description:
        'One bad event refuses the batch, and `details` names each bad one. May be signed with X-Renown-Signature.',
      headers: SIGNATURE_HEADER,
      body: ingestRequest,
      answers: { 202: { description: 'On disk', schema: ingestAnswer } },
      async handle({ caller, body, bytes, request }) {
        const work = (signed: boolean) => ingest(context, caller, { events: body.events, signed });
        return {
          status: 202,
          json: await withSignature(context, caller, { ...signatureOf(request), body: bytes, work }),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/reputation/:agentId',
      access: 'pk',
      tag: 'Scores',
      summary: 'The reputation of an agent',
      description: 'An agent nobody has evaluated has a score of 0 and the lifecycle `new`.',
      answers: { 200: { description: 'The score and what it is made from', schema: reputationAnswer } },
      handle: async ({ caller, params }) => ({ json: await readReputation(context, caller, params.agentId) }),
    }),
    route({
      method: 'GET',
      path: '/v1/reputation/:agentId/history',
      access: 'pk',
      tag: 'Scores',
      summary: 'The reputation of an agent at earlier times',
      query: historyQuery,
      answers: { 200: { description: 'One point at the end of each step', schema: historyAnswer } },
      handle: async ({ caller, params, query }) => ({
        json: await readHistory(context, caller, { ...query, ...params }),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/events',
      access: 'pk',
      tag: 'Evaluations',
      summary: 'List evaluations, newest first',
      query: evaluationQuery,
      answers: { 200: { description: 'A page', schema: evaluationPage } },
      handle: async ({ caller, query }) => ({ json: await listEvaluations(context, caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/events/:evaluationId',
      access: 'pk',
      tag: 'Evaluations',
      summary: 'One evaluation',
      answers: { 200: { description: 'As it is stored', schema: storedEvaluation } },
      handle: async ({ caller, params }) => ({
        json: await readEvaluation(context, caller, params.evaluationId),
      }),
    }),
    route({
      method: 'POST',
      path: '/v1/events/:evaluationId/void',
      access: 'sk',
      tag: 'Evaluations',
      summary: 'Take an evaluation out of the score',
      description: 'It stays visible. Voiding again changes nothing.',
      body: voidRequest,
      answers: { 200: { description: 'The voided evaluation', schema: storedEvaluation } },
      handle: async ({ caller, params, body }) => ({
        json: await voidEvaluation(context, caller, { ...params, ...body }),
      }),
    }),
  ];
}
