import { z } from 'zod';
import { RenownError } from '../../core/errors.ts';
import type { ServiceContext } from '../../service/context.ts';
import { type AuthenticateOptions, authenticate } from '../authenticate.ts';
import { isLoopback } from '../client-address.ts';
import { renderDocs } from '../docs-page.ts';
import type { Metrics } from '../metrics.ts';
import { createOpenApi } from '../openapi.ts';
import { pageHeaders } from '../page.ts';
import { type Route, route } from '../route.ts';

const tag = 'System';
const access = 'anyone';

interface SystemContext extends Omit<AuthenticateOptions, 'spend'> {
  context: ServiceContext;
  metrics: Metrics;
  version: string;
  basePath: string;
}

/** How the server itself is. `others` are the routes that the document describes beside these. */
export function systemRoutes(system: SystemContext, others: readonly Route[]): Route[] {
  const { context, version, basePath } = system;
  const routes: Route[] = [
    route({
      method: 'GET',
      path: '/health',
      access,
      tag,
      summary: 'Whether the process is alive',
      answers: {
        200: { description: 'It is', schema: z.object({ status: z.literal('ok'), version: z.string() }) },
      },
      handle: () => ({ json: { status: 'ok', version } }),
    }),
    route({
      method: 'GET',
      path: '/ready',
      access,
      tag,
      summary: 'Whether it can serve: the store answers',
      answers: { 200: { description: 'It can', schema: z.object({ status: z.literal('ready') }) } },
      async handle() {
        await context.store.orgs.list();
        return { json: { status: 'ready' } };
      },
    }),
    metricsRoute(system),
    route({
      method: 'GET',
      path: '/openapi.json',
      access,
      tag,
      summary: 'This document',
      answers: { 200: { description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) } },
      handle: () => ({ json: document }),
    }),
    route({
      method: 'GET',
      path: '/docs',
      access,
      tag,
      summary: 'This document as a page',
      answers: { 200: { description: 'A page', type: 'text/html' } },
      handle: () => ({ text: { type: 'text/html; charset=utf-8', body: docs }, headers: pageHeaders() }),
    }),
  ];
  const document = createOpenApi([...others, ...routes], { version, basePath });
  const docs = renderDocs(document);
  return routes;
}

/** Tells how busy the server is, which is nobody's business but the operator's. */
function metricsRoute(system: SystemContext): Route {
  return route({
    method: 'GET',
    path: '/metrics',
    access,
    tag,
    summary: 'Figures for Prometheus',
    description: 'Without a key from the machine itself, and with an sk key from elsewhere.',
    answers: { 200: { description: 'Text', type: 'text/plain' } },
    async handle({ request, address }) {
      if (!isLoopback(address)) {
        if (request.headers.authorization === undefined)
          throw new RenownError('unauthorized', 'From elsewhere this needs an sk_live_… key.');
        // What anyone may ask is counted by address already.
        await authenticate(request, { access: 'sk', address }, { ...system, spend: () => undefined });
      }
      const body = system.metrics.render({ rssBytes: process.memoryUsage.rss(), uptimeS: process.uptime() });
      return { text: { type: 'text/plain; version=0.0.4; charset=utf-8', body } };
    },
  });
}
