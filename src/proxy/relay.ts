/**
 * The relay between an MCP client and its server, as a function from lines to lines: no processes, no pipes, no clock of
 * its own. A line goes on as the bytes it came in, unless a gate stops something in it; then an error takes the place of
 * exactly that message.
 *
 * Tool calls are judged before the server sees them, and their answers before the client does. What is no JSON-RPC goes
 * on untouched, and is noted.
 */
import { LIMITS } from '../core/limits.ts';
import type { Engine } from '../gates/engine.ts';
import type { EvaluationResult } from '../gates/evaluation-result.ts';
import { combine, type Decision, toRpcError } from './decision.ts';
import type { Directions } from './direction-engines.ts';
import { type Id, isAnswer, isRequest, keyOf, type Message, parseLine, toLine } from './message.ts';
import { type Permissions, toPermissionError } from './permissions.ts';
import { readableOf } from './readable.ts';

export interface RelayOptions extends Directions {
  agentId: string | undefined;
  /** Which tools need which reputation; null when none does. */
  permissions: Permissions | null;
  /** Judge and record, and block nothing. */
  dryRun: boolean;
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number;
  record(decision: Decision): void;
  note(what: RelayNote): void;
}

/** What is worth a line in the log without being an evaluation. */
export type RelayNote =
  | { note: 'invalid_json'; side: 'client' | 'server'; bytes: number }
  | { note: 'permission'; action: 'warn' | 'block' | 'ask' | 'allow'; tool: string; reason: string };

/** What is to be written where after one line. */
export interface Relayed {
  toServer?: Uint8Array;
  toClient?: Uint8Array;
}

/** A request that the server has, and whose answer will be looked at. */
type Pending =
  | { kind: 'initialize' }
  | { kind: 'tool'; tool: string; verdict: EvaluationResult | null; sentAt: number }
  | { kind: 'reading'; tool: string; engine: Engine };

export class Relay {
  readonly #options: RelayOptions;
  readonly #pending = new Map<string, Pending>();
  #clientName = 'unknown-client';
  #serverName = 'unknown-server';

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Requests that the server has not answered. */
  get unanswered(): number {
    return this.#pending.size;
  }

  async fromClient(line: Uint8Array): Promise<Relayed> {
    const parsed = this.#parse(line, 'client');
    if (!parsed) return { toServer: line };
    const blocked: object[] = [];
    const rest: Message[] = [];
    for (const message of parsed.messages) {
      const held = this.#options.permissions?.answerTo(message);
      const refusal = held ? await this.#release(held) : await this.#judgeRequest(message);
      if (refusal === undefined) rest.push(held?.call ?? message);
      else if (refusal !== null) blocked.push(refusal);
    }
    if (rest.length === parsed.messages.length && rest.every((one) => parsed.messages.includes(one)))
      return { toServer: line };
    return {
      ...(rest.length > 0 && { toServer: toLine(rest, parsed.batch) }),
      ...(blocked.length > 0 && { toClient: toLine(blocked, parsed.batch) }),
    };
  }

  async fromServer(line: Uint8Array): Promise<Relayed> {
    // Nothing is waited for that a gate would look at: the line need not even be read.
    if (this.#pending.size === 0) return { toClient: line };
    const parsed = this.#parse(line, 'server');
    if (!parsed) return { toClient: line };
    let changed = false;
    const messages: object[] = [];
    for (const message of parsed.messages) {
      const error = await this.#judgeAnswer(message);
      if (error) changed = true;
      messages.push(error ?? message);
    }
    return { toClient: changed ? toLine(messages, parsed.batch) : line };
  }

  #parse(line: Uint8Array, side: 'client' | 'server') {
    const parsed = parseLine(line);
    if (!parsed && !isBlank(line)) this.#options.note({ note: 'invalid_json', side, bytes: line.length });
    return parsed;
  }

  /** Undefined lets the message go on; an error answers it; null drops a call that nobody waits for. */
  async #judgeRequest(message: Message): Promise<object | null | undefined> {
    const { method, params } = message;
    // A server that answers nothing must not fill the memory, and no answer may pass because its call was forgotten.
    if (this.#pending.size >= LIMITS.proxyPendingMax && isRequest(message)) return tooMany(message.id);
    this.#clientName = nameOr(clientNameIn(params), this.#clientName);
    this.#options.permissions?.see(message);
    if (this.#options.permissions?.forget(message)) return null;
    if (method === 'tools/call') {
      const refusal = await this.#refusePermission(message);
      return refusal === undefined ? this.#judgeCall(message) : refusal;
    }
    if (!isRequest(message)) return undefined;
    const { reading, response } = this.#options;
    if (method === 'initialize' || method === 'server/discover')
      this.#expect(message.id, { kind: 'initialize' });
    if (method === 'resources/read' || method === 'prompts/get')
      this.#expect(message.id, { kind: 'reading', tool: message.method, engine: reading });
    // What a tool call that was started as a task has come to.
    if (method === 'tasks/result')
      this.#expect(message.id, { kind: 'reading', tool: message.method, engine: response });
    return undefined;
  }

  /** Undefined when the call is permitted; otherwise what the client gets instead, which may be a question. */
  async #refusePermission(message: Message): Promise<object | null | undefined> {
    const { permissions, dryRun, note } = this.#options;
    if (!permissions) return undefined;
    const tool = nameOr(message.params?.name, 'unknown');
    const permission = await permissions.judge(this.#agentId, tool);
    if (permission.action === 'allow') return undefined;
    const { action, reason } = permission;
    note({ note: 'permission', action, tool, reason });
    if (action === 'warn' || dryRun) return undefined;
    if (!isRequest(message)) return null;
    return action === 'ask' ? permissions.hold(message, reason) : toPermissionError(message.id, reason);
  }

  /** A call that was kept back until somebody had decided. */
  async #release({ call, reason, allowed }: { call: Message; reason: string; allowed: boolean }) {
    const tool = nameOr(call.params?.name, 'unknown');
    this.#options.note({ note: 'permission', action: allowed ? 'allow' : 'block', tool, reason });
    return allowed ? this.#judgeCall(call) : toPermissionError(call.id as Id, reason);
  }

  async #judgeCall(message: Message): Promise<object | null | undefined> {
    const { request, dryRun, elapsed } = this.#options;
    const tool = nameOr(message.params?.name, 'unknown');
    const input = message.params?.arguments;
    // A call without arguments has none, which a schema for them may not allow.
    const context = { agent_id: this.#agentId, tool, output: input, input: input ?? {} };
    const verdict = request ? await request.evaluate(context) : null;
    if (verdict && !verdict.passed) {
      const decision: Decision = {
        evaluation: verdict,
        direction: 'request',
        latencyMs: null,
        tracked: true,
      };
      this.#options.record(decision);
      if (!dryRun) return isRequest(message) ? toRpcError(message.id, decision) : null;
      return undefined;
    }
    if (isRequest(message)) this.#expect(message.id, { kind: 'tool', tool, verdict, sentAt: elapsed() });
    return undefined;
  }

  #expect(id: Id, pending: Pending): void {
    this.#pending.set(keyOf(id), pending);
  }

  /** The error that takes the answer's place, if something stops it. */
  async #judgeAnswer(message: Message): Promise<object | undefined> {
    if (!isAnswer(message)) return undefined;
    const pending = this.#pending.get(keyOf(message.id));
    if (!pending) return undefined;
    this.#pending.delete(keyOf(message.id));
    if (pending.kind === 'initialize') {
      const { serverInfo } = (message.result ?? {}) as { serverInfo?: { name?: unknown } };
      this.#serverName = nameOr(serverInfo?.name, this.#serverName);
      return undefined;
    }
    const decision = await this.#decide(message, pending);
    if (decision.tracked) this.#options.record(decision);
    return decision.evaluation.passed || this.#options.dryRun ? undefined : toRpcError(message.id, decision);
  }

  async #decide(message: Message, pending: Exclude<Pending, { kind: 'initialize' }>): Promise<Decision> {
    const { response, elapsed } = this.#options;
    const context = { agent_id: this.#agentId, tool: pending.tool, output: readableOf(message) };
    if (pending.kind === 'reading') {
      const evaluation = await pending.engine.evaluate(context);
      const passed = evaluation.passed;
      return { evaluation, direction: passed ? null : 'response', latencyMs: null, tracked: !passed };
    }
    const latencyMs = Math.max(0, elapsed() - pending.sentAt);
    const answer = await response.evaluate({ ...context, latency_ms: latencyMs });
    const evaluation = combine(pending.verdict, answer);
    return { evaluation, direction: evaluation.passed ? null : 'response', latencyMs, tracked: true };
  }

  /** `claude-desktop/filesystem`, unless the command line names the agent. */
  get #agentId(): string {
    return this.#options.agentId ?? `${this.#clientName}/${this.#serverName}`;
  }
}

/** Clients say their name in `initialize`, and since 2026-07-28 with every request. */
function clientNameIn(params: Message['params']): unknown {
  return (params?.clientInfo ?? params?._meta?.['io.modelcontextprotocol/clientInfo'])?.name;
}

/** A name that somebody else made up, cut down to what an agent or a tool may be called. */
function nameOr(value: unknown, otherwise: string): string {
  if (typeof value !== 'string') return otherwise;
  const name = value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .slice(0, LIMITS.agentIdCodePointsMax / 2 - 1)
    .toWellFormed();
  return name === '' ? otherwise : name;
}

function tooMany(id: Id): object {
  const message = 'Too many requests are waiting for an answer of the server.';
  return { jsonrpc: '2.0', id, error: { code: -32000, message } };
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 10 || byte === 13 || byte === 32 || byte === 9);
}
