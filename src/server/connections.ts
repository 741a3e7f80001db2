/**
 * The connections of a server, for closing it in good order. Node's own way to close idle ones leaves those alone that were
 * opened and have not asked for anything yet, as clients keep in reserve, and would wait for them.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../core/limits.ts';

const LOOK_EVERY_MS = 20;

export class Connections {
  readonly #server: Server;
  /** The last response of each connection; none when nothing was asked yet. */
  readonly #open = new Map<Socket, ServerResponse | null>();

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, null);
      socket.on('close', () => this.#open.delete(socket));
    });
    server.on('request', (request, response) => {
      this.#open.set(request.socket, response);
    });
  }

  /** Takes no new ones, waits for the answers under way as long as the limit allows, and cuts off the rest. */
  async drain(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    const closeIdle = () => {
      for (const [socket, response] of this.#open) {
        if (response === null || response.writableFinished) socket.destroy();
      }
    };
    closeIdle();
    const look = setInterval(closeIdle, LOOK_EVERY_MS);
    const late = setTimeout(() => this.#server.closeAllConnections(), LIMITS.drainMs);
    await closed;
    clearInterval(look);
    clearTimeout(late);
  }
}
