import type { BlockList } from 'node:net';
import type { AlertOptions } from '../service/alerts/alert-station.ts';
import type { ServiceContext } from '../service/context.ts';
import type { RetentionDays } from '../service/retention.ts';
import type { WebSessions } from '../service/web-sessions.ts';
import type { Metrics } from './metrics.ts';
import type { Route } from './route.ts';
import { accountRoutes } from './routes/accounts.ts';
import { agentRoutes } from './routes/agents.ts';
import { alertRoutes } from './routes/alerts.ts';
import { dashboardRoutes } from './routes/dashboard.ts';
import { evaluationRoutes } from './routes/evaluations.ts';
import { evidenceRoutes } from './routes/evidence.ts';
import { gateRoutes } from './routes/gates.ts';
import { identityRoutes } from './routes/identities.ts';
import { localRoutes } from './routes/local.ts';
import { monitorRoutes } from './routes/monitors.ts';
import { type OtlpContext, otlpRoutes } from './routes/otlp.ts';
import { publicRoutes } from './routes/public.ts';
import { receiptRoutes } from './routes/receipts.ts';
import { runRoutes } from './routes/runs.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { streamRoutes } from './routes/stream.ts';
import { systemRoutes } from './routes/system.ts';

export interface RouteContext {
  context: ServiceContext;
  metrics: Metrics;
  version: string;
  basePath: string;
  localToken: string;
  webSessions: WebSessions;
  trustedProxies: BlockList;
  alerts: AlertOptions;
  otlp: OtlpContext;
  retention: RetentionDays;
}

/** Every operation there is. */
export function createRoutes(given: RouteContext): Route[] {
  const { context, metrics } = given;
  const routes = [
    ...evaluationRoutes(context),
    ...gateRoutes(context),
    ...agentRoutes(context),
    ...identityRoutes(context),
    ...evidenceRoutes(context),
    ...receiptRoutes(context),
    ...alertRoutes(context, given.alerts),
    ...sessionRoutes(context),
    ...runRoutes(context),
    ...monitorRoutes(context),
    ...otlpRoutes(given.otlp, { prefix: '/otlp', access: 'pk' }),
    ...streamRoutes(context, metrics),
    ...publicRoutes(context),
    ...accountRoutes(context, given.retention),
    ...localRoutes(context),
    ...signInRoutes(given),
    ...dashboardRoutes(given.basePath),
  ];
  return [...routes, ...systemRoutes(given, routes)];
}
