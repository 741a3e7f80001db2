/** Listens: puts a store, the service and the application together, and takes them apart again in order. */
import { setMaxListeners } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Logger } from 'pino';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { preloadGates } from '../gates/preload.ts';
import { type AlertOptions, createAlertStation } from '../service/alerts/alert-station.ts';
import { watchMonitorRun } from '../service/alerts/monitor-watch.ts';
import type { ServiceContext } from '../service/context.ts';
import { JudgeQueue } from '../service/judge-queue.ts';
import { JudgeStation } from '../service/judge-station.ts';
import { noteEndedRun } from '../service/otlp/exporter.ts';
import { Forwarder } from '../service/otlp/forwarder.ts';
import { createRetention } from '../service/retention.ts';
import { Scheduler } from '../service/scheduler.ts';
import { SignalJudge } from '../service/signal-judge.ts';
import { TelemetryIntake } from '../service/telemetry-intake.ts';
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
import { listen, openReceiver, type Receiver } from './receiver.ts';
import type { OtlpContext } from './routes/otlp.ts';
import { createRoutes } from './routes.ts';
import { removeServerFile, serverFilePath, writeServerFile } from './server-file.ts';

export interface Serving {
  url: string;
  context: ServiceContext;
  scheduler: Scheduler;
  judging: JudgeStation;
  /** Where telemetry is received, or why it is not. */
  receiver: Pick<Receiver, 'url' | 'problem'>;
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
  /** Fills the store before anything watches it: what is put there was no news. */
  prepare?: (context: ServiceContext) => Promise<void>;
  clock?: () => number;
}

export async function serve({
  store,
  configuration,
  log,
  version,
  prepare,
  clock = Date.now,
}: ServeOptions): Promise<Serving> {
  await preloadGates();
  const context = await createContext(store, { configuration, clock });
  const stopping = new AbortController();
  // Every open stream listens, and a few others.
  setMaxListeners(LIMITS.streamsMax + 20, stopping.signal);
  const metrics = new Metrics();
  const localToken = `local_${context.newSecret(24)}`;
  const webSessions = new WebSessions(context);
  const trustedProxies = createAddressList(configuration.trustedProxies);
  const alerts = alertOptions(configuration, log);
  const { otlpExportUrl } = configuration;
  const exporting = otlpExportUrl === '' ? {} : { exporting: { url: otlpExportUrl, version } };
  const { rateLimitPerS: perSecond, rateLimitBurst: burst } = configuration;
  const createHttpServer = (listener: RequestListener) =>
    createServer(
      {
        maxHeaderSize: LIMITS.requestHeaderBytesMax,
        requestTimeout: configuration.requestTimeoutS * 1000,
        headersTimeout: configuration.requestTimeoutS * 1000,
        connectionsCheckingInterval: 1_000,
        keepAliveTimeout: 65_000,
      },
      listener,
    );
  const otlp = createOtlp(context, { configuration, metrics });
  const app = {
    context,
    log,
    metrics,
    rateLimit: new RateLimit({ perSecond, burst, clock }),
    localToken,
    webSessions,
    cors: { origins: new Set(configuration.corsOrigins) },
    trustedProxies,
    stopping: stopping.signal,
  };
  const { basePath } = configuration;
  const routes = createRoutes({
    context,
    metrics,
    localToken,
    webSessions,
    trustedProxies,
    version,
    alerts,
    otlp,
    retention: configuration,
    basePath,
  });
  const server = createHttpServer(createApp({ ...app, routes, basePath }));
  server.on('clientError', answerBadClient);
  const connections = new Connections(server);
  const url = await listenOrRefuse(server, configuration);
  const receiver = await openReceiver(otlp, { app, configuration, createServer: createHttpServer });
  if (receiver.problem) log.warn(receiver.problem);
  const file = serverFilePath(storeUrl(configuration));
  if (file) await writeServerFile(file, { url, token: localToken, pid: process.pid });
  const retention = createRetention(context, configuration, log);
  await retention.start();
  await prepare?.(context);
  const station = createAlertStation(context, { ...alerts, ...exporting });
  station.start();
  const scheduler = new Scheduler(context, log, {
    async onFinished(run) {
      if (otlpExportUrl !== '') await noteEndedRun(context, run);
      await watchMonitorRun(context, run, log);
    },
  });
  scheduler.start();
  const judging = new JudgeStation(context, otlp.intake, log);
  judging.start();

  return {
    url,
    receiver: { url: receiver.url, problem: receiver.problem },
    judging,
    context,
    scheduler,
    webSessions,
    async stop() {
      retention.stop();
      stopping.abort();
      await Promise.all([connections.drain(), receiver.drain()]);
      await judging.stop();
      await otlp.forwarder?.stop();
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

/** What the receiver's routes share, on either port. */
function createOtlp(
  context: ServiceContext,
  { configuration, metrics }: { configuration: Configuration; metrics: Metrics },
): OtlpContext {
  const { otlpForwardUrl, judgeUrl, judgeModel, judgeKey } = configuration;
  const forwarder = otlpForwardUrl === '' ? null : new Forwarder(otlpForwardUrl);
  metrics.forwarded = forwarder?.counts ?? null;
  const { clock } = context;
  const judge =
    judgeUrl === '' ? null : new SignalJudge({ url: judgeUrl, model: judgeModel, key: judgeKey, clock });
  metrics.judge = judge;
  const judging = judge && new JudgeQueue(context, judge);
  return { intake: new TelemetryIntake(context, judging), forwarder, metrics };
}

async function listenOrRefuse(server: Server, { host, port, basePath }: Configuration): Promise<string> {
  try {
    return `${await listen(server, { host, port })}${basePath}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'something listens there already' : code;
    throw new RenownError(
      'server_unavailable',
      `Cannot listen on ${host}:${port}: ${why}. Choose another with --port.`,
    );
  }
}
