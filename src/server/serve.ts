/** Listens: puts a store, the service and the application together, and takes them apart again in order. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { type AlertOptions, createAlertStation } from '../service/alerts/alert-station.ts';
import { watchMonitorRun } from '../service/alerts/monitor-watch.ts';
import type { ServiceContext } from '../service/context.ts';
import { noteEndedRun } from '../service/otlp/exporter.ts';
import { createRetention } from '../service/retention.ts';
import { Scheduler } from '../service/scheduler.ts';
import { WebSessions } from '../service/web-sessions.ts';
import type { Store } from '../store/store.ts';
import { createApp } from './app.ts';
import { answerBadClient } from './bad-client.ts';
import { contains, createAddressList } from './client-address.ts';
import { type Configuration, storeUrl } from './configuration.ts';
import { Connections } from './connections.ts';
import { createContext } from './create-context.ts';
import { Metrics } from './metrics.ts';
import { RateLimit } from './rate-limit.ts';
import { createRoutes } from './routes.ts';
import { removeServerFile, serverFilePath, writeServerFile } from './server-file.ts';

export interface Serving {
  url: string;
  context: ServiceContext;
  scheduler: Scheduler;
  webSessions: WebSessions;
  /** Takes nothing new, finishes what is under way, commits it, and lets go of the store. */
  stop(): Promise<void>;
}

interface ServeOptions {
  store: Store;
  configuration: Configuration;
  log: Logger;
  /** Of the package, for people and for the OpenAPI document. */
  version: string;
  clock?: () => number;
}

export async function serve({
  store,
  configuration,
  log,
  version,
  clock = Date.now,
}: ServeOptions): Promise<Serving> {
  const context = await createContext(store, { configuration, clock });
  const stopping = new AbortController();
  const metrics = new Metrics();
  const localToken = `local_${context.newSecret(24)}`;
  const webSessions = new WebSessions(context);
  const trustedProxies = createAddressList(configuration.trustedProxies);
  const alerts = alertOptions(configuration, log);
  const { otlpExportUrl } = configuration;
  const exporting = otlpExportUrl === '' ? {} : { exporting: { url: otlpExportUrl, version } };
  const { rateLimitPerS: perSecond, rateLimitBurst: burst } = configuration;
  const server = createServer(
    {
      maxHeaderSize: LIMITS.requestHeaderBytesMax,
      requestTimeout: configuration.requestTimeoutS * 1000,
      headersTimeout: configuration.requestTimeoutS * 1000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
    },
    createApp({
      context,
      routes: createRoutes({
        context,
        metrics,
        localToken,
        webSessions,
        trustedProxies,
        version,
        alerts,
        retention: configuration,
        basePath: configuration.basePath,
      }),
      log,
      metrics,
      rateLimit: new RateLimit({ perSecond, burst, clock }),
      localToken,
      webSessions,
      cors: { origins: new Set(configuration.corsOrigins) },
      trustedProxies,
      basePath: configuration.basePath,
      stopping: stopping.signal,
    }),
  );
  server.on('clientError', answerBadClient);
  const connections = new Connections(server);
  const url = await listen(server, configuration);
  const file = serverFilePath(storeUrl(configuration));
  if (file) await writeServerFile(file, { url, token: localToken, pid: process.pid });
  const retention = createRetention(context, configuration, log);
  await retention.start();
  const station = createAlertStation(context, { ...alerts, ...exporting });
  station.start();
  const scheduler = new Scheduler(context, log, async (run) => {
    if (otlpExportUrl !== '') await noteEndedRun(context, run);
    await watchMonitorRun(context, run, log);
  });
  scheduler.start();

  return {
    url,
    context,
    scheduler,
    webSessions,
    async stop() {
      retention.stop();
      stopping.abort();
      await connections.drain();
      await station.stop();
      await scheduler.stop();
      await store.close();
      if (file) await removeServerFile(file, localToken);
    },
  };
}

/** Private addresses only where the operator names them. */
export function alertOptions(
  { webhookNetworks }: Pick<Configuration, 'webhookNetworks'>,
  log: AlertOptions['log'],
): AlertOptions {
  const allowed = createAddressList(webhookNetworks);
  return { isAllowed: (address) => contains(allowed, address), log };
}

function listen(server: Server, { host, port, basePath }: Configuration): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const why = code === 'EADDRINUSE' ? 'something listens there already' : code;
      reject(
        new RenownError(
          'server_unavailable',
          `Cannot listen on ${host}:${port}: ${why}. Choose another with --port.`,
        ),
      );
    });
    server.listen(port, host, () => {
      const { address, family, port: bound } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${bound}${basePath}`);
    });
  });
}
