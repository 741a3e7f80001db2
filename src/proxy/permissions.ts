/**
 * Trust as permission: tools that need a minimum reputation. It reads the lower edge of the band, so that a lucky beginning
 * opens no door. Below the minimum a call is blocked, let through with a warning, or put to the person at the client,
 * where the client can ask one; where it cannot, asking means blocking.
 *
 * When the score cannot be had, the last one counts for a while; after that `whenAway` says what happens, and blocks unless
 * the operator chose otherwise.
 */
import { isRequest, type Message, type Received } from './message.ts';

export interface ToolRule {
  /** A name of a tool; `*` stands for any characters. */
  pattern: string;
  minReputation: number;
  below: 'block' | 'warn' | 'ask';
}

export interface PermissionOptions {
  /** The first one whose pattern fits decides. */
  rules: readonly ToolRule[];
  whenAway: 'block' | 'allow';
  /** The lower edge of an agent's band; null when nobody can say. */
  scoreLow(agentId: string): Promise<number | null>;
}

export type Permission = { action: 'allow' } | { action: 'warn' | 'block' | 'ask'; reason: string };

export class Permissions {
  readonly #options: PermissionOptions;
  readonly #held = new Map<string, { call: Received; reason: string }>();
  #canAsk = false;
  #asked = 0;

  constructor(options: PermissionOptions) {
    this.#options = options;
  }

  /** Learns from `initialize` whether there is anybody to ask. */
  see(message: Message): void {
    if (message.method !== 'initialize') return;
    const { elicitation } = (message.params?.capabilities ?? {}) as { elicitation?: unknown };
    this.#canAsk = typeof elicitation === 'object' && elicitation !== null;
  }

  async judge(agentId: string, tool: string): Promise<Permission> {
    const rule = this.#options.rules.find(({ pattern }) => fits(pattern, tool));
    if (!rule) return { action: 'allow' };
    const low = await this.#options.scoreLow(agentId);
    const needs = `${tool} needs a reputation of ${rule.minReputation}`;
    if (low === null) {
      if (this.#options.whenAway === 'allow') return { action: 'allow' };
      return { action: 'block', reason: `${needs}, and the reputation of ${agentId} cannot be had now.` };
    }
    if (low >= rule.minReputation) return { action: 'allow' };
    const reason = `${needs}; that of ${agentId} is sure to be ${low} at least, and no more.`;
    if (rule.below === 'ask' && !this.#canAsk) return { action: 'block', reason };
    return { action: rule.below, reason };
  }

  /** Keeps a call back, and answers with the question for the person at the client. */
  hold(call: Received, reason: string): object {
    const id = `renown-ask-${++this.#asked}`;
    this.#held.set(id, { call, reason });
    return {
      jsonrpc: '2.0',
      id,
      method: 'elicitation/create',
      params: {
        message: `${reason} Let it go ahead this once?`,
        requestedSchema: {
          type: 'object',
          properties: { allow: { type: 'boolean', title: 'Let it go ahead' } },
          required: ['allow'],
        },
      },
    };
  }

  /** The call that a message of the client decides, if it answers one of our questions. Anything but a clear yes is a no. */
  answerTo(message: Message): { call: Received; reason: string; allowed: boolean } | null {
    if (typeof message.method === 'string' || typeof message.id !== 'string') return null;
    const held = this.#held.get(message.id);
    if (!held) return null;
    this.#held.delete(message.id);
    const { action, content } = (message.result ?? {}) as { action?: unknown; content?: { allow?: unknown } };
    return { ...held, allowed: action === 'accept' && content?.allow === true };
  }

  /** A call that the client takes back while the question is open. */
  forget(message: Message): boolean {
    if (isRequest(message) || message.method !== 'notifications/cancelled') return false;
    const requestId = message.params?.requestId;
    for (const [id, { call }] of this.#held) {
      if (call.message.id === requestId) return this.#held.delete(id);
    }
    return false;
  }
}

/** The JSON-RPC error that says that a call is not permitted. */
export function toPermissionError(reason: string): object {
  return {
    code: -32000,
    message: `Blocked by the gate min_reputation: ${reason}`,
    data: { gate: 'min_reputation', reason, direction: 'request' },
  };
}

function fits(pattern: string, tool: string): boolean {
  // Piece by piece, so that no pattern can take longer than the name is long, a few times over.
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return tool === pattern;
  if (!tool.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const piece of rest) {
    const found = tool.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return tool.length - last.length >= at && tool.endsWith(last);
}
