import { checkAnswer, checkRequest } from '../../core/contract/check.ts';
import {
  changesAnswer,
  compareAnswer,
  compareQuery,
  explainAnswer,
  explainQuery,
} from '../../core/contract/explain.ts';
import { windowAnswer } from '../../core/contract/reputation-window.ts';
import { readChanges } from '../../service/changes.ts';
import { check } from '../../service/check.ts';
import { compare } from '../../service/compare.ts';
import type { ServiceContext } from '../../service/context.ts';
import { explain } from '../../service/explain.ts';
import { readWindowWire } from '../../service/window.ts';
import { type Route, route } from '../route.ts';

/** How sure a score is, what moved it, and what changed with it. */
export function evidenceRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/reputation/:agentId/window',
      access: 'pk',
      tag: 'Scores',
      summary: 'The evaluations that the score is made from, and what each gate said to them',
      answers: { 200: { description: 'At most 500, oldest first', schema: windowAnswer } },
      handle: async ({ caller, params }) => ({ json: await readWindowWire(context, caller, params.agentId) }),
    }),
    route({
      method: 'POST',
      path: '/v1/check',
      access: 'pk',
      tag: 'Evidence',
      summary: 'Whether an agent or a session is good enough, or nobody can tell yet',
      description:
        'Answers `pass`, `fail` or `not_enough_evidence`, from the band and not from the bare score unless `point` asks for it. Nothing seen is never a pass.',
      body: checkRequest,
      answers: {
        200: {
          description: 'The verdict, why, and how many more evaluations it would expect to need',
          schema: checkAnswer,
        },
      },
      handle: async ({ caller, body }) => ({ json: await check(context, caller, body) }),
    }),
    route({
      method: 'GET',
      path: '/v1/reputation/:agentId/explain',
      access: 'pk',
      tag: 'Evidence',
      summary: 'What moved a score between two moments',
      query: explainQuery,
      answers: {
        200: {
          description: 'Every evaluation that came or went, in order of arrival',
          schema: explainAnswer,
        },
      },
      handle: async ({ caller, params, query }) => ({
        json: await explain(context, caller, { ...query, ...params }),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/reputation/:agentId/compare',
      access: 'pk',
      tag: 'Evidence',
      summary: 'Two versions, models or gate suites of an agent side by side',
      query: compareQuery,
      answers: { 200: { description: 'Both, and an interval for the difference', schema: compareAnswer } },
      handle: async ({ caller, params, query }) => ({
        json: await compare(context, caller, { ...query, ...params }),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/reputation/:agentId/changes',
      access: 'pk',
      tag: 'Evidence',
      summary: 'Whether an agent got worse, and what changed about it when',
      answers: {
        200: { description: 'The change, and marks for a chart, newest first', schema: changesAnswer },
      },
      handle: async ({ caller, params }) => ({ json: await readChanges(context, caller, params.agentId) }),
    }),
  ];
}
