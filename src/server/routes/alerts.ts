import { deletedAnswer } from '../../core/contract/agent.ts';
import {
  alertPage,
  alertQuery,
  alertTestAnswer,
  newWebhookAnswer,
  webhookList,
  webhookRequest,
} from '../../core/contract/alert.ts';
import { type AlertOptions, testAlerts } from '../../service/alerts/alert-station.ts';
import { listAlerts } from '../../service/alerts/alerts.ts';
import { createWebhook, deleteWebhook, listWebhooks } from '../../service/alerts/webhooks.ts';
import type { ServiceContext } from '../../service/context.ts';
import { type Route, route } from '../route.ts';

const tag = 'Alerts';

export function alertRoutes(context: ServiceContext, options: AlertOptions): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/alerts',
      access: 'pk',
      tag,
      summary: 'List the alerts that were raised',
      query: alertQuery,
      answers: { 200: { description: 'A page', schema: alertPage } },
      handle: async ({ caller, query }) => ({ json: await listAlerts(context, caller, query) }),
    }),
    route({
      method: 'POST',
      path: '/v1/alerts/test',
      access: 'sk',
      tag,
      summary: 'Send a test alert to every webhook',
      answers: { 200: { description: 'Whether each arrived', schema: alertTestAnswer } },
      handle: async ({ caller }) => ({ json: await testAlerts(context, caller, options) }),
    }),
    route({
      method: 'GET',
      path: '/v1/webhooks',
      access: 'sk',
      tag,
      summary: 'List where alerts go',
      answers: { 200: { description: 'All of them', schema: webhookList } },
      handle: async ({ caller }) => ({ json: await listWebhooks(context, caller) }),
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks',
      access: 'sk',
      tag,
      summary: 'Send alerts to an address',
      description:
        'Each request is signed as `X-Renown-Signature: t=<unix seconds>,v1=<hex>`, an HMAC-SHA-256 with the secret over the time, a dot and the body. Private addresses are refused unless the operator allows them, and redirects are not followed.',
      body: webhookRequest,
      answers: { 201: { description: 'The webhook, and its secret this once', schema: newWebhookAnswer } },
      handle: async ({ caller, body }) => ({
        status: 201,
        json: await createWebhook(context, caller, { request: body, isAllowed: options.isAllowed }),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/webhooks/:webhookId',
      access: 'sk',
      tag,
      summary: 'Send no more alerts there',
      answers: { 200: { description: 'Gone', schema: deletedAnswer } },
      handle: async ({ caller, params }) => ({
        json: await deleteWebhook(context, caller, params.webhookId),
      }),
    }),
  ];
}
