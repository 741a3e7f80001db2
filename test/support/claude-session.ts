/** Logs of Claude Code, made up for a test. */
import { type Log, logBatch } from './otlp.ts';

export const START = Date.UTC(2026, 10, 1, 9);

export type ClaudeEvent = [name: string, second: number, attributes?: Log['attributes']];

export const CLAUDE = {
  resource: { 'service.name': 'claude-code' },
  scope: 'com.anthropic.claude_code.events',
};

export function claudeSession(id: string, events: readonly ClaudeEvent[], origin = CLAUDE): object {
  return logBatch(
    events.map(([name, second, attributes = {}]) => ({
      name: `claude_code.${name}`,
      at: START + second * 1000,
      attributes: { 'session.id': id, 'event.name': name, ...attributes },
    })),
    origin,
  );
}

/** A tool that went well, unless the attributes say otherwise. */
export function toolResult(second: number, attributes: Log['attributes'] = {}): ClaudeEvent {
  return [
    'tool_result',
    second,
    { tool_name: 'Bash', tool_use_id: `t${second}`, success: 'true', ...attributes },
  ];
}
