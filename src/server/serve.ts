/** Listens: puts a store, the service and the application together, and takes them apart again in order. */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { uuidv7 } from 'uuidv7';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { DEFAULT_SUITE, openSuite } from '../gates/suite.ts';
import { ChangeHub } from '../service/change-hub.ts';
import type { ServiceContext } from '../service/context.ts';
import { KeyRing } from '../service/key-ring.ts';
import { createRetention } from '../service/retention.ts';
import { RunBell } from '../service/run-bell.ts';
import { Scheduler } from '../service/scheduler.ts';
import { SettingsBook } from '../service/settings-book.ts';
import { createVault } from '../service/vault.ts';
import type { Store } from '../store/store.ts';
import { createApp } from './app.ts';
import { answerBadClient } from './bad-client.ts';
import { createAddressList } from './client-address.ts';
import { type Configuration, storeUrl } from './configuration.ts';
import { Connections } from './connections.ts';
import { readMasterKey } from './master-key.ts';
import { Metrics } from './metrics.ts';
import { RateLimit } from './rate-limit.ts';
import { createRoutes } from './routes.ts';
import { removeServerFile, serverFilePath, writeServerFile } from './server-file.ts';

export interface Serving {
  url: string;
  context: ServiceContext;
  scheduler: Scheduler;
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

async function createContext(
  store: Store,
  { configuration, clock = Date.now }: Pick<ServeOptions, 'configuration' | 'clock'>,
): Promise<ServiceContext> {
  return {
    store,
    clock,
    newId: uuidv7,
    newSecret: (bytes) => randomBytes(bytes).toString('hex'),
    engine: await openSuite(DEFAULT_SUITE),
    keys: new KeyRing(store, clock),
    settings: new SettingsBook(store, clock),
    vault: createVault(await readMasterKey(configuration)),
    hub: new ChangeHub(),
    runBell: new RunBell(),
  };
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
      routes: createRoutes({ context, metrics, localToken, version, basePath: configuration.basePath }),
      log,
      metrics,
      rateLimit: new RateLimit({ perSecond, burst, clock }),
      localToken,
      cors: { origins: new Set(configuration.corsOrigins) },
      trustedProxies: createAddressList(configuration.trustedProxies),
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
  const scheduler = new Scheduler(context, log);
  scheduler.start();

  return {
    url,
    context,
    scheduler,
    async stop() {
      retention.stop();
      stopping.abort();
      await connections.drain();
      await scheduler.stop();
      await store.close();
      if (file) await removeServerFile(file, localToken);
    },
  };
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
