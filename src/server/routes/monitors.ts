import { deletedAnswer } from '../../core/contract/agent.ts';
import {
  monitorAnswer,
  monitorChange,
  monitorDetail,
  monitorPage,
  monitorQuery,
  monitorRequest,
  runAnswer,
  runPage,
  runQuery,
} from '../../core/contract/session-run.ts';
import type { ServiceContext } from '../../service/context.ts';
import {
  changeMonitor,
  createMonitor,
  deleteMonitor,
  listMonitorRuns,
  listMonitors,
  pauseMonitor,
  readMonitor,
  resumeMonitor,
  triggerMonitor,
} from '../../service/session-monitors.ts';
import { type Route, route } from '../route.ts';

const tag = 'Session monitors';

export function monitorRoutes(context: ServiceContext): Route[] {
  return [...keepingRoutes(context), ...drivingRoutes(context)];
}

function keepingRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/session-monitors',
      access: 'sk',
      tag,
      summary: 'Score sessions on a cadence',
      description: '`every_6h`, `daily`, `weekly` or `cron:` and five fields, all in UTC.',
      body: monitorRequest,
      answers: { 201: { description: 'The monitor', schema: monitorAnswer } },
      handle: async ({ caller, body }) => ({ status: 201, json: await createMonitor(context, caller, body) }),
    }),
    route({
      method: 'GET',
      path: '/v1/session-monitors',
      access: 'pk',
      tag,
      summary: 'List monitors',
      query: monitorQuery,
      answers: { 200: { description: 'A page', schema: monitorPage } },
      handle: async ({ caller, query }) => ({ json: await listMonitors(context, caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/session-monitors/:monitorId',
      access: 'pk',
      tag,
      summary: 'One monitor, when it is due, and whether its sessions got worse',
      answers: { 200: { description: 'The monitor', schema: monitorDetail } },
      handle: async ({ caller, params }) => ({ json: await readMonitor(context, caller, params.monitorId) }),
    }),
    route({
      method: 'PATCH',
      path: '/v1/session-monitors/:monitorId',
      access: 'sk',
      tag,
      summary: 'Change a monitor',
      description: 'What is named replaces what was; runs that are under way go on as they were.',
      body: monitorChange,
      answers: { 200: { description: 'The monitor as it is now', schema: monitorAnswer } },
      handle: async ({ caller, params, body }) => ({
        json: await changeMonitor(context, caller, { ...body, ...params }),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/session-monitors/:monitorId',
      access: 'sk',
      tag,
      summary: 'Delete a monitor; its runs and their scores stay',
      answers: { 200: { description: 'Gone', schema: deletedAnswer } },
      handle: async ({ caller, params }) => ({
        json: await deleteMonitor(context, caller, params.monitorId),
      }),
    }),
  ];
}

function drivingRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/session-monitors/:monitorId/pause',
      access: 'sk',
      tag,
      summary: 'Let a monitor rest',
      answers: { 200: { description: 'The monitor', schema: monitorAnswer } },
      handle: async ({ caller, params }) => ({ json: await pauseMonitor(context, caller, params.monitorId) }),
    }),
    route({
      method: 'POST',
      path: '/v1/session-monitors/:monitorId/resume',
      access: 'sk',
      tag,
      summary: 'Let it go on; what it missed meanwhile is not caught up',
      answers: { 200: { description: 'The monitor', schema: monitorAnswer } },
      handle: async ({ caller, params }) => ({
        json: await resumeMonitor(context, caller, params.monitorId),
      }),
    }),
    route({
      method: 'POST',
      path: '/v1/session-monitors/:monitorId/trigger',
      access: 'sk',
      tag,
      summary: 'Run it now, paused or not',
      answers: { 202: { description: 'The run, to begin at once', schema: runAnswer } },
      handle: async ({ caller, params }) => ({
        status: 202,
        json: await triggerMonitor(context, caller, params.monitorId),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/session-monitors/:monitorId/runs',
      access: 'pk',
      tag,
      summary: 'The runs of a monitor, newest first',
      query: runQuery,
      answers: { 200: { description: 'A page', schema: runPage } },
      handle: async ({ caller, params, query }) => ({
        json: await listMonitorRuns(context, caller, { ...query, ...params }),
      }),
    }),
  ];
}
