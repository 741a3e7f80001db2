import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
}

/** What a webhook points to: keeps what it gets, and answers as the test says. */
export class WebhookReceiver {
  received: Received[] = [];
  respond: (response: ServerResponse) => void = accept;
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      this.respond(response);
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Forgets what it got, and accepts everything again. */
  reset(): void {
    this.received = [];
    this.respond = accept;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function accept(response: ServerResponse): void {
  response.writeHead(204).end();
}
