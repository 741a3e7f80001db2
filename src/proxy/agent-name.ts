import { LIMITS } from '../core/limits.ts';
import type { Message } from './message.ts';

/** Who is judged: `claude-desktop/filesystem`, from what client and server call themselves, unless somebody has named it. */
export class AgentName {
  readonly #given: string | undefined;
  #client = 'unknown-client';
  #server = 'unknown-server';

  constructor(given: string | undefined) {
    this.#given = given;
  }

  get id(): string {
    return this.#given ?? `${this.#client}/${this.#server}`;
  }

  /** Clients say their name in `initialize`, and since 2026-07-28 with every request. */
  seeClient({ params }: Message): void {
    const info = params?.clientInfo ?? params?._meta?.['io.modelcontextprotocol/clientInfo'];
    this.#client = nameOr(info?.name, this.#client);
  }

  seeServer({ result }: Message): void {
    const { serverInfo } = (result ?? {}) as { serverInfo?: { name?: unknown } };
    this.#server = nameOr(serverInfo?.name, this.#server);
  }
}

/** A name that somebody else made up, cut down to what an agent or a tool may be called. */
export function nameOr(value: unknown, otherwise: string): string {
  if (typeof value !== 'string') return otherwise;
  const name = value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .slice(0, LIMITS.agentIdCodePointsMax / 2 - 1)
    .toWellFormed();
  return name === '' ? otherwise : name;
}
