/** A real HTTP server that answers as it is told: slowly, with errors, or not at all. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape.
  body: any;
}

export type Behaviour =
  | { status: number; json?: unknown; headers?: Record<string, string> }
  /** Closes the connection without an answer, before or after it has read everything. */
  | 'hang up'
  /** Never answers. */
  | 'hang';

export interface MisbehavingServer {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

/** Takes one behaviour for each request, and the last one for all that follow. */
export async function startMisbehaving(
  ...behaviours: [...(Behaviour | ((received: Received) => Behaviour))[]]
): Promise<MisbehavingServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    };
    const next = behaviours[Math.min(received.length, behaviours.length - 1)];
    received.push(one);
    const behaviour = typeof next === 'function' ? next(one) : next;
    if (behaviour === 'hang' || behaviour === undefined) return;
    if (behaviour === 'hang up') {
      request.socket.destroy();
      return;
    }
    response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
    response.end(JSON.stringify(behaviour.json ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
