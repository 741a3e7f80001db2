/** Ten minutes of Claude Code as it tells of them: a prompt, four tools of which one fails, and a model call. */
import { type Log, logBatch } from './otlp.ts';

const MINUTE_MS = 60_000;

export interface Work {
  at: number;
  agentId?: string;
  /** How many of the four tools fail. */
  failing?: number;
  more?: readonly Log[];
}

export function work(sessionId: string, { at, agentId, failing = 1, more = [] }: Work): object {
  const own = { 'session.id': sessionId };
  const tool = (n: number): Log => ({
    name: 'claude_code.tool_result',
    at: at + n * 2 * MINUTE_MS,
    attributes: {
      ...own,
      tool_name: 'Bash',
      tool_use_id: `${sessionId}-t${n}`,
      success: n > failing,
      duration_ms: 5,
    },
  });
  return logBatch(
    [
      { name: 'claude_code.user_prompt', at, attributes: { ...own, 'prompt.id': `${sessionId}-p` } },
      tool(1),
      tool(2),
      tool(3),
      tool(4),
      {
        name: 'claude_code.api_request',
        at: at + 10 * MINUTE_MS,
        attributes: {
          ...own,
          model: 'claude-sonnet-4-5',
          request_id: `${sessionId}-r`,
          cost_usd: 0.02,
          input_tokens: 100,
          output_tokens: 200,
          cache_read_tokens: 600,
          cache_creation_tokens: 100,
        },
      },
      ...more.map((log) => ({ ...log, attributes: { ...own, ...log.attributes } })),
    ],
    {
      resource: {
        'service.name': 'claude-code',
        ...(agentId !== undefined && { 'renown.agent_id': agentId }),
      },
    },
  );
}
