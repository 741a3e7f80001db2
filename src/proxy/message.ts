/** JSON-RPC 2.0 as MCP speaks it: one message, or a batch of them, on a line. */

export type Id = string | number;

export interface Message {
  id?: Id | null;
  method?: string;
  params?: {
    name?: unknown;
    arguments?: unknown;
    clientInfo?: { name?: unknown };
    capabilities?: unknown;
    requestId?: unknown;
    _meta?: { 'io.modelcontextprotocol/clientInfo'?: { name?: unknown } };
  };
  result?: unknown;
  error?: unknown;
}

/** What a line holds: its messages, and whether they came as a batch. Undefined when it is no JSON-RPC. */
export function parseLine(line: Uint8Array): { messages: Message[]; batch: boolean } | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(line));
    const messages = Array.isArray(value) ? value : [value];
    if (!messages.every((message) => typeof message === 'object' && message !== null)) return undefined;
    return { messages: messages as Message[], batch: Array.isArray(value) };
  } catch {
    return undefined;
  }
}

export function toLine(messages: readonly object[], batch: boolean): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(batch ? messages : messages[0])}\n`);
}

/** The number 1 and the text "1" are different ids. */
export function keyOf(id: Id): string {
  return JSON.stringify(id);
}

export function isRequest(message: Message): message is Message & { id: Id; method: string } {
  return typeof message.method === 'string' && isId(message.id);
}

export function isAnswer(message: Message): message is Message & { id: Id } {
  return message.method === undefined && isId(message.id);
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number';
}
