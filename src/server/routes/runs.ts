import { deletedAnswer } from '../../core/contract/agent.ts';
import { dryRunAnswer, runAnswer, runPage, runQuery, runRequest } from '../../core/contract/session-run.ts';
import { runScoreQuery, scorePage } from '../../core/contract/session-score.ts';
import type { ServiceContext } from '../../service/context.ts';
import {
  cancelRun,
  createRun,
  deleteRun,
  listRuns,
  readRunWire,
  retryRun,
  tryRun,
} from '../../service/session-runs.ts';
import { listRunScores } from '../../service/session-scores.ts';
import { type Route, route } from '../route.ts';

const tag = 'Session runs';

export function runRoutes(context: ServiceContext): Route[] {
  return [...askingRoutes(context), ...readingRoutes(context)];
}

function askingRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/session-runs',
      access: 'pk',
      tag,
      summary: 'Score sessions',
      description: 'Which ones is said by `session_ids` or by `filter`. Its progress is found under its id.',
      body: runRequest,
      answers: {
        200: { description: 'What it would cover, for a `dry_run`', schema: dryRunAnswer },
        202: { description: 'The run, to begin at once', schema: runAnswer },
      },
      async handle({ caller, body }) {
        if (body.dry_run) return { json: await tryRun(context, caller, body) };
        return { status: 202, json: await createRun(context, caller, body) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/session-runs/:runId/retry',
      access: 'pk',
      tag,
      summary: 'Score what a finished run has no score for',
      answers: {
        202: {
          description: 'The run, to go on at once; unchanged when nothing of it failed',
          schema: runAnswer,
        },
      },
      handle: async ({ caller, params }) => ({
        status: 202,
        json: await retryRun(context, caller, params.runId),
      }),
    }),
    route({
      method: 'POST',
      path: '/v1/session-runs/:runId/cancel',
      access: 'pk',
      tag,
      summary: 'Call a run off',
      description: 'What it has scored stays. A finished run is left as it is.',
      answers: { 200: { description: 'The run', schema: runAnswer } },
      handle: async ({ caller, params }) => ({ json: await cancelRun(context, caller, params.runId) }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/session-runs/:runId',
      access: 'sk',
      tag,
      summary: 'Delete a run with its scores',
      answers: { 200: { description: 'Gone', schema: deletedAnswer } },
      handle: async ({ caller, params }) => ({ json: await deleteRun(context, caller, params.runId) }),
    }),
  ];
}

function readingRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/session-runs',
      access: 'pk',
      tag,
      summary: 'List runs, newest first',
      query: runQuery,
      answers: { 200: { description: 'A page', schema: runPage } },
      handle: async ({ caller, query }) => ({ json: await listRuns(context, caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/session-runs/:runId',
      access: 'pk',
      tag,
      summary: 'One run, and how far it is',
      answers: { 200: { description: 'The run', schema: runAnswer } },
      handle: async ({ caller, params }) => ({ json: await readRunWire(context, caller, params.runId) }),
    }),
    route({
      method: 'GET',
      path: '/v1/session-runs/:runId/scores',
      access: 'pk',
      tag,
      summary: 'What a run found, worst first',
      query: runScoreQuery,
      answers: { 200: { description: 'A page', schema: scorePage } },
      handle: async ({ caller, params, query }) => ({
        json: await listRunScores(context, caller, { ...query, ...params }),
      }),
    }),
  ];
}
