import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy on loopback that can go away, with all its connections, and come back at the same port. */
export class SwitchableProxy {
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#target = { host: hostname, port: Number(port) };
  }

  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    if (this.#server) return;
    const server = createServer((socket) => {
      const upstream = connect(this.#target);
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => this.#sockets.delete(from));
        from.pipe(to);
      }
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
    const address = server.address();
    this.#port = typeof address === 'object' && address ? address.port : 0;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = null;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
