import { judgeRequest, sessionAnswer, toolResultsAnswer } from '../../core/contract/session.ts';
import {
  aggregateQuery,
  metricList,
  scoreDistribution,
  scorePage,
  scoreQuery,
  scoreSummary,
  scoreTrend,
  sessionPage,
  sessionQuery,
  sessionScores,
  trendQuery,
} from '../../core/contract/session-score.ts';
import {
  sessionTraces,
  signalHistory,
  signalHistoryQuery,
  signalsAnswer,
  signalsRequest,
} from '../../core/contract/signal.ts';
import type { ServiceContext } from '../../service/context.ts';
import { readDistribution, readTrend, summariseScores } from '../../service/score-figures.ts';
import { listScores, listSessionMetrics, readSessionScores } from '../../service/session-scores.ts';
import { appendSignals, listReports, readTraces } from '../../service/session-signals.ts';
import { judgeSession, listSessions, readSession, readToolResults } from '../../service/sessions.ts';
import { withSignature } from '../../service/signatures.ts';
import { type Route, route } from '../route.ts';
import { SIGNATURE_HEADER, signatureOf } from './signature.ts';

const tag = 'Sessions';

export function sessionRoutes(context: ServiceContext): Route[] {
  return [
    ...verdictRoutes(context),
    ...signalRoutes(context),
    ...scoreRoutes(context),
    ...figureRoutes(context),
  ];
}

function verdictRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/sessions',
      access: 'pk',
      tag,
      summary: 'List sessions, the latest first',
      description:
        'All that telemetry, reported traces or verdicts made known. With `metric`, `run_id`, `tag`, `passed` or `evidence` ' +
        'only sessions whose traces were scored, worst first by `metric`, which is agent_reliability when absent; those of ' +
        'which nothing was seen come last.',
      query: sessionQuery,
      answers: { 200: { description: 'A page', schema: sessionPage } },
      handle: async ({ caller, query }) => ({ json: await listSessions(context, caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/sessions/:sessionId',
      access: 'pk',
      tag,
      summary: 'A session: its verdict as of now, and how its traces were scored',
      answers: { 200: { description: 'Whether it is over or not', schema: sessionAnswer } },
      handle: async ({ caller, params }) => ({ json: await readSession(context, caller, params.sessionId) }),
    }),
    route({
      method: 'GET',
      path: '/v1/sessions/:sessionId/tools',
      access: 'pk',
      tag,
      summary: 'How the tool calls of a session went, one after another',
      answers: { 200: { description: 'As telemetry told', schema: toolResultsAnswer } },
      handle: async ({ caller, params }) => ({
        json: await readToolResults(context, caller, params.sessionId),
      }),
    }),
    route({
      method: 'POST',
      path: '/v1/sessions/:sessionId/judge',
      access: 'pk',
      tag,
      summary: 'Judge a session now',
      description:
        'Writes the verdict down and lets the identity of its agent know; for the same telemetry once. A question that cuts ' +
        'the session or says which masque was worn is answered, and nothing is written. Sessions that end, or are quiet for ' +
        'half an hour, are judged without being asked for.',
      body: judgeRequest,
      answers: { 200: { description: 'The session', schema: sessionAnswer } },
      handle: async ({ caller, params, body }) => ({
        json: await judgeSession(context, caller, { ...body, sessionId: params.sessionId }),
      }),
    }),
  ];
}

function signalRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/signals',
      access: 'pk',
      tag,
      summary: 'Report signals of traces',
      description:
        'A later value of a signal replaces an earlier one, and both stay in the history. One bad trace refuses the batch. ' +
        'May be signed with X-Renown-Signature.',
      headers: SIGNATURE_HEADER,
      body: signalsRequest,
      answers: { 202: { description: 'On disk', schema: signalsAnswer } },
      async handle({ caller, body, bytes, request }) {
        const work = () => appendSignals(context, caller, body.traces);
        return {
          status: 202,
          json: await withSignature(context, caller, { ...signatureOf(request), body: bytes, work }),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/sessions/:sessionId/traces',
      access: 'pk',
      tag,
      summary: 'The traces of a session with their signals',
      answers: { 200: { description: 'Of each signal the latest value', schema: sessionTraces } },
      handle: async ({ caller, params }) => ({ json: await readTraces(context, caller, params.sessionId) }),
    }),
    route({
      method: 'GET',
      path: '/v1/sessions/:sessionId/signals',
      access: 'pk',
      tag,
      summary: 'Every report of signals of a session, newest first',
      query: signalHistoryQuery,
      answers: { 200: { description: 'Also what was replaced since', schema: signalHistory } },
      handle: async ({ caller, params, query }) => ({
        json: await listReports(context, caller, { ...query, ...params }),
      }),
    }),
  ];
}

function scoreRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/session-metrics',
      access: 'pk',
      tag,
      summary: 'The metrics of sessions, and how to read them',
      answers: { 200: { description: 'Both', schema: metricList } },
      handle: () => ({ json: listSessionMetrics() }),
    }),
    route({
      method: 'GET',
      path: '/v1/session-scores',
      access: 'pk',
      tag,
      summary: 'List scores of sessions, newest first',
      query: scoreQuery,
      answers: { 200: { description: 'A page', schema: scorePage } },
      handle: async ({ caller, query }) => ({ json: await listScores(context, caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/sessions/:sessionId/scores',
      access: 'pk',
      tag,
      summary: 'The latest scores of a session, with how each trace came out',
      answers: { 200: { description: 'None for a session nobody has scored', schema: sessionScores } },
      handle: async ({ caller, params }) => ({
        json: await readSessionScores(context, caller, params.sessionId),
      }),
    }),
  ];
}

function figureRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/session-scores/summary',
      access: 'pk',
      tag,
      summary: 'What the latest scores of sessions come to',
      query: aggregateQuery,
      answers: { 200: { description: 'For each metric', schema: scoreSummary } },
      handle: async ({ caller, query }) => ({ json: await summariseScores(context, caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/session-scores/trend',
      access: 'pk',
      tag,
      summary: 'The same by the time of the sessions',
      query: trendQuery,
      answers: { 200: { description: 'A point for each step that has sessions', schema: scoreTrend } },
      handle: async ({ caller, query }) => ({ json: await readTrend(context, caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/session-scores/distribution',
      access: 'pk',
      tag,
      summary: 'How many sessions lie in each tenth of the scale',
      query: aggregateQuery,
      answers: { 200: { description: 'For each metric', schema: scoreDistribution } },
      handle: async ({ caller, query }) => ({ json: await readDistribution(context, caller, query) }),
    }),
  ];
}
