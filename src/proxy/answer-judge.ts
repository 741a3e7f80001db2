/**
 * Judges what the server answers: tool calls by the suite, resources and prompts for injection, and answers to nobody's
 * question like those of a tool, because a client may know whose they are.
 *
 * A call that the server turns into a task is still one evaluation. It is finished with the task's result, which comes
 * by `tasks/result`, or within `tasks/get` since 2026-07-28; or with the first thing on the way there that is blocked.
 */
import type { Engine } from '../gates/engine.ts';
import type { AgentName } from './agent-name.ts';
import { combine, type Decision } from './decision.ts';
import type { Directions } from './direction-engines.ts';
import { isAnswer, isId, type Message } from './message.ts';
import type { Asked, Outstanding, ToolCall } from './outstanding.ts';
import { readableOf } from './readable.ts';

export interface AnswerJudgeOptions {
  engines: Directions;
  outstanding: Outstanding;
  agent: AgentName;
  elapsed(): number;
}

export class AnswerJudge {
  readonly #options: AnswerJudgeOptions;

  constructor(options: AnswerJudgeOptions) {
    this.#options = options;
  }

  /** Null when there was nothing to judge, or something that will be judged when more of it has come. */
  async judge(message: Message): Promise<Decision | null> {
    if (!isAnswer(message)) return null;
    const { outstanding, agent, engines, elapsed } = this.#options;
    const asked = isId(message.id) ? outstanding.take(message.id) : undefined;
    switch (asked?.kind) {
      case undefined:
        return this.#read('unknown', engines.response, readableOf(message));
      case 'other':
        return null;
      case 'initialize':
        agent.seeServer(message);
        return null;
      case 'reading':
        return this.#read(asked.tool, asked.engine, readableOf(message));
      case 'task':
        return this.#judgeTask(message, asked);
      case 'tool': {
        const spentMs = Math.max(0, elapsed() - asked.sentAt);
        const taskId = taskIdIn(message.result);
        if (taskId === undefined) return this.#finish({ ...asked.call, spentMs }, readableOf(message));
        const { blocked, call } = await this.#look({ ...asked.call, spentMs }, readableOf(message));
        if (!blocked) outstanding.startTask(taskId, call);
        return blocked;
      }
    }
  }

  async #judgeTask(message: Message, asked: Asked & { kind: 'task' }): Promise<Decision | null> {
    const { outstanding, elapsed } = this.#options;
    const { status, payload } = asked.method === 'tasks/get' ? splitTask(message) : { payload: message };
    const known = outstanding.endTask(asked.taskId);
    const before = known ?? { tool: asked.method, verdict: null, spentMs: 0 };
    const spentMs = before.spentMs + Math.max(0, elapsed() - asked.sentAt);
    const { blocked, call } = await this.#look({ ...before, spentMs }, status);
    if (blocked) return blocked;
    if (!payload) {
      if (known) outstanding.startTask(String(asked.taskId), { ...call, spentMs: before.spentMs });
      return null;
    }
    const decision = await this.#finish(call, readableOf(payload));
    return known ? decision : { ...decision, tracked: !decision.evaluation.passed };
  }

  /** What comes before the result: it has a text that an agent may read, and nothing that a result has to have. */
  async #look(call: ToolCall, output: unknown): Promise<{ blocked: Decision | null; call: ToolCall }> {
    const { engines, agent } = this.#options;
    if (!engines.interim || output === undefined) return { blocked: null, call };
    const looked = await engines.interim.evaluate({ agent_id: agent.id, tool: call.tool, output });
    const verdict = combine(call.verdict, looked);
    const blocked: Decision | null = looked.passed
      ? null
      : { evaluation: verdict, direction: 'response', latencyMs: call.spentMs, tracked: true };
    return { blocked, call: { ...call, verdict } };
  }

  async #finish({ tool, verdict, spentMs }: ToolCall, output: unknown): Promise<Decision> {
    const { engines, agent } = this.#options;
    const context = { agent_id: agent.id, tool, output, latency_ms: spentMs };
    const evaluation = combine(verdict, await engines.response.evaluate(context));
    const direction = evaluation.passed ? null : 'response';
    return { evaluation, direction, latencyMs: spentMs, tracked: true };
  }

  async #read(tool: string, engine: Engine, output: unknown): Promise<Decision> {
    const evaluation = await engine.evaluate({ agent_id: this.#options.agent.id, tool, output });
    const { passed } = evaluation;
    return { evaluation, direction: passed ? null : 'response', latencyMs: null, tracked: !passed };
  }
}

/** The task that a call has become, as 2025-11-25 and as 2026-07-28 say it. What has content is no task, whatever it says. */
function taskIdIn(result: unknown): string | undefined {
  const { task, taskId, resultType, content } = (result ?? {}) as Record<string, unknown>;
  if (content !== undefined) return undefined;
  const id = resultType === 'task' ? taskId : (task as { taskId?: unknown } | null | undefined)?.taskId;
  return typeof id === 'string' ? id : undefined;
}

/** How a task stands, and what it has come to if it is over. */
function splitTask({ result, error }: Message): { status: unknown; payload?: Message } {
  if (typeof result !== 'object' || result === null || error !== undefined)
    return { status: readableOf({ result, error }) };
  const { result: final, error: failure, ...status } = result as Record<string, unknown>;
  if (final === undefined && failure === undefined) return { status };
  return { status, payload: { result: final, error: failure } };
}
