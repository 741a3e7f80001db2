import type { ServiceContext } from '../service/context.ts';
import type { Configuration } from './configuration.ts';
import type { Metrics } from './metrics.ts';
import type { Route } from './route.ts';
import { agentRoutes } from './routes/agents.ts';
import { evaluationRoutes } from './routes/evaluations.ts';
import { identityRoutes } from './routes/identities.ts';

export interface RouteContext {
  context: ServiceContext;
  configuration: Configuration;
  metrics: Metrics;
  stopping: AbortSignal;
}

/** Every operation there is. */
export function createRoutes({ context }: RouteContext): Route[] {
  return [...evaluationRoutes(context), ...agentRoutes(context), ...identityRoutes(context)];
}
