/**
 * The OTLP receiver on a port of its own, where agents send telemetry unless they are told otherwise. From this machine no
 * key is needed. Another program may have the port already, a collector as a rule: then the server goes on without, and
 * says so; the same routes are under /otlp on its own port.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AppOptions, createApp } from './app.ts';
import { answerBadClient } from './bad-client.ts';
import type { Configuration } from './configuration.ts';
import { Connections } from './connections.ts';
import { type OtlpContext, otlpRoutes } from './routes/otlp.ts';

export interface Receiver {
  /** Null where it does not listen. */
  url: string | null;
  /** Why it does not listen though it should. */
  problem: string | null;
  drain(): Promise<void>;
}

const CLOSED: Receiver = { url: null, problem: null, drain: async () => undefined };

export async function openReceiver(
  otlp: OtlpContext,
  {
    app,
    configuration: { otlpPort, host },
    createServer,
  }: {
    app: Omit<AppOptions, 'routes' | 'basePath'>;
    configuration: Configuration;
    createServer: (listener: ReturnType<typeof createApp>) => Server;
  },
): Promise<Receiver> {
  if (otlpPort === 'off') return CLOSED;
  const routes = otlpRoutes(otlp, { prefix: '', access: 'loopback' });
  const server = createServer(createApp({ ...app, routes, basePath: '' }));
  server.on('clientError', answerBadClient);
  const connections = new Connections(server);
  try {
    const url = await listen(server, { host, port: otlpPort });
    return { url, problem: null, drain: () => connections.drain() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'another program listens there' : code;
    return { ...CLOSED, problem: `Telemetry is not received on ${host}:${otlpPort}: ${why}.` };
  }
}

/** The URL it listens on. */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, family, port: bound } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`);
    });
  });
}
