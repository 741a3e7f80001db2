/**
 * The relay between an MCP client and its server, as a function from lines to lines: no processes, no pipes, no clock of
 * its own. A line goes on as the bytes it came in, unless a gate stops something in it; then an error takes the place of
 * exactly that message.
 *
 * Tool calls are judged before the server sees them, and their answers before the client does. What is no JSON-RPC goes
 * on untouched, and is noted.
 */
import { LIMITS } from '../core/limits.ts';
import { AgentName, nameOr } from './agent-name.ts';
import { AnswerJudge } from './answer-judge.ts';
import { type Decision, toRpcError } from './decision.ts';
import type { Directions } from './direction-engines.ts';
import {
  encode,
  type Id,
  isId,
  isRequest,
  type Message,
  parseLine,
  type Received,
  toErrorAnswer,
  toLine,
} from './message.ts';
import { Outstanding } from './outstanding.ts';
import { type Permissions, toPermissionError } from './permissions.ts';

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

/** Undefined lets a message of the client go on; bytes answer it; null drops a call that nobody waits for. */
type Refusal = Uint8Array | null | undefined;

export class Relay {
  readonly #options: RelayOptions;
  readonly #outstanding = new Outstanding();
  readonly #agent: AgentName;
  readonly #answers: AnswerJudge;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#agent = new AgentName(options.agentId);
    this.#answers = new AnswerJudge({
      engines: options,
      outstanding: this.#outstanding,
      agent: this.#agent,
      elapsed: options.elapsed,
    });
  }

  /** Requests that the server has not answered. */
  get unanswered(): number {
    return this.#outstanding.size;
  }

  async fromClient(line: Uint8Array): Promise<Relayed> {
    const parsed = this.#parse(line, 'client');
    if (!parsed) return { toServer: line };
    const blocked: Uint8Array[] = [];
    const rest: Uint8Array[] = [];
    let changed = false;
    for (const received of parsed.received) {
      const held = this.#options.permissions?.answerTo(received.message);
      const refusal = held ? await this.#release(held) : await this.#judgeRequest(received);
      if (held || refusal !== undefined) changed = true;
      if (refusal === undefined) rest.push((held?.call ?? received).bytes);
      else if (refusal !== null) blocked.push(refusal);
    }
    if (!changed) return { toServer: line };
    return {
      ...(rest.length > 0 && { toServer: toLine(rest, parsed.batch) }),
      ...(blocked.length > 0 && { toClient: toLine(blocked, parsed.batch) }),
    };
  }

  async fromServer(line: Uint8Array): Promise<Relayed> {
    const parsed = this.#parse(line, 'server');
    if (!parsed) return { toClient: line };
    let changed = false;
    const pieces: Uint8Array[] = [];
    for (const received of parsed.received) {
      const error = await this.#judgeAnswer(received);
      if (error) changed = true;
      pieces.push(error ?? received.bytes);
    }
    return { toClient: changed ? toLine(pieces, parsed.batch) : line };
  }

  #parse(line: Uint8Array, side: 'client' | 'server') {
    const parsed = parseLine(line);
    if (!parsed && !isBlank(line)) this.#options.note({ note: 'invalid_json', side, bytes: line.length });
    return parsed;
  }

  async #judgeRequest(received: Received): Promise<Refusal> {
    const { message } = received;
    // A server that answers nothing must not fill the memory, and no answer may pass because its call was forgotten.
    if (this.#outstanding.size >= LIMITS.proxyPendingMax && isRequest(message))
      return toErrorAnswer(received, TOO_MANY);
    this.#agent.seeClient(message);
    this.#options.permissions?.see(message);
    if (this.#options.permissions?.forget(message)) return null;
    if (message.method === 'notifications/cancelled' && isId(message.params?.requestId))
      this.#outstanding.cancel(message.params.requestId);
    if (message.method === 'tools/call') {
      const refusal = await this.#refusePermission(received);
      return refusal === undefined ? this.#judgeCall(received) : refusal;
    }
    if (isRequest(message)) this.#expect(message);
    return undefined;
  }

  #expect({ id, method, params }: Message & { id: Id; method: string }): void {
    const { reading, elapsed } = this.#options;
    switch (method) {
      case 'initialize':
      case 'server/discover':
        this.#outstanding.expect(id, { kind: 'initialize' });
        return;
      case 'resources/read':
      case 'prompts/get':
        this.#outstanding.expect(id, { kind: 'reading', tool: method, engine: reading });
        return;
      case 'tasks/result':
      case 'tasks/get':
        this.#outstanding.expect(id, { kind: 'task', method, taskId: params?.taskId, sentAt: elapsed() });
        return;
      default:
        this.#outstanding.expect(id, { kind: 'other' });
    }
  }

  /** A refusal may be a question to the client. */
  async #refusePermission(received: Received): Promise<Refusal> {
    const { permissions, dryRun, note } = this.#options;
    if (!permissions) return undefined;
    const tool = toolOf(received.message);
    const permission = await permissions.judge(this.#agent.id, tool);
    if (permission.action === 'allow') return undefined;
    const { action, reason } = permission;
    note({ note: 'permission', action, tool, reason });
    if (action === 'warn' || dryRun) return undefined;
    if (!isRequest(received.message)) return null;
    if (action === 'ask') return encode(JSON.stringify(permissions.hold(received, reason)));
    return toErrorAnswer(received, toPermissionError(reason));
  }

  /** A call that was kept back until somebody had decided. */
  async #release({ call, reason, allowed }: { call: Received; reason: string; allowed: boolean }) {
    const action = allowed ? 'allow' : 'block';
    this.#options.note({ note: 'permission', action, tool: toolOf(call.message), reason });
    return allowed ? this.#judgeCall(call) : toErrorAnswer(call, toPermissionError(reason));
  }

  async #judgeCall(received: Received): Promise<Refusal> {
    const { request, dryRun, elapsed } = this.#options;
    const { message } = received;
    const tool = toolOf(message);
    const output = message.params?.arguments;
    // A call without arguments has none, which a schema for them may not allow.
    const context = { agent_id: this.#agent.id, tool, output, input: output ?? {} };
    const verdict = request ? await request.evaluate(context) : null;
    if (!verdict || verdict.passed) {
      if (isRequest(message))
        this.#outstanding.expect(message.id, {
          kind: 'tool',
          call: { tool, verdict, spentMs: 0 },
          sentAt: elapsed(),
        });
      return undefined;
    }
    const decision: Decision = { evaluation: verdict, direction: 'request', latencyMs: null, tracked: true };
    this.#options.record(decision);
    if (!dryRun) return isRequest(message) ? toErrorAnswer(received, toRpcError(decision)) : null;
    // It is finished, and its answer no concern of ours.
    if (isRequest(message)) this.#outstanding.expect(message.id, { kind: 'other' });
    return undefined;
  }

  /** The error that takes the answer's place, if something stops it. */
  async #judgeAnswer(received: Received): Promise<Uint8Array | undefined> {
    const decision = await this.#answers.judge(received.message);
    if (!decision) return undefined;
    if (decision.tracked) this.#options.record(decision);
    if (decision.evaluation.passed || this.#options.dryRun) return undefined;
    return toErrorAnswer(received, toRpcError(decision));
  }
}

const TOO_MANY = { code: -32000, message: 'Too many requests are waiting for an answer of the server.' };

function toolOf({ params }: Message): string {
  return nameOr(params?.name, 'unknown');
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 10 || byte === 13 || byte === 32 || byte === 9);
}
