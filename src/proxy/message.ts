/** JSON-RPC 2.0 as MCP speaks it: one message, or a batch of them, on a line. */
import { cutElements, cutField } from './cut-json.ts';

export type Id = string | number;

export interface Message {
  id?: Id | null;
  method?: string;
  params?: {
    name?: unknown;
    arguments?: unknown;
    taskId?: unknown;
    clientInfo?: { name?: unknown };
    capabilities?: unknown;
    requestId?: unknown;
    _meta?: { 'io.modelcontextprotocol/clientInfo'?: { name?: unknown } };
  };
  result?: unknown;
  error?: unknown;
}

/** A message and the bytes it came in, which are what goes on. */
export interface Received<T extends Message = Message> {
  message: T;
  bytes: Uint8Array;
}

/** What a line holds: its messages, and whether they came as a batch. Undefined when it is no JSON-RPC. */
export function parseLine(line: Uint8Array): { received: Received[]; batch: boolean } | undefined {
  const value = parse(line);
  const messages = Array.isArray(value) ? value : [value];
  if (!messages.every((message) => typeof message === 'object' && message !== null)) return undefined;
  const pieces = Array.isArray(value) ? cutElements(line) : [withoutEnd(line)];
  return {
    received: messages.map((message, i) => ({ message, bytes: pieces[i] as Uint8Array })),
    batch: Array.isArray(value),
  };
}

export function toLine(pieces: readonly Uint8Array[], batch: boolean): Uint8Array {
  const joined = pieces.flatMap((piece, i) => (i === 0 ? [piece] : [encode(','), piece]));
  return Buffer.concat(batch ? [encode('['), ...joined, encode(']\n')] : [...joined, encode('\n')]);
}

/** The answer that takes a message's place; its id as it was spelt. */
export function toErrorAnswer({ message, bytes }: Received, error: object): Uint8Array {
  const id = message.id === undefined ? undefined : cutField(bytes, 'id');
  return Buffer.concat([
    encode('{"jsonrpc":"2.0","id":'),
    id ?? encode('null'),
    encode(`,"error":${JSON.stringify(error)}}`),
  ]);
}

export function isRequest(message: Message): message is Message & { id: Id; method: string } {
  return typeof message.method === 'string' && isId(message.id);
}

/** Whatever brings a result, because a client may take it for an answer, whatever else there is in it. */
export function isAnswer(message: Message): boolean {
  return message.result !== undefined || message.error !== undefined;
}

export function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number';
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function parse(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(line));
  } catch {
    return undefined;
  }
}

function withoutEnd(line: Uint8Array): Uint8Array {
  return line.at(-1) === 0x0a ? line.subarray(0, -1) : line;
}
