/** The traps that telemetry of other agents sets, one test each; those of Codex have a file of their own. */
import { describe, expect, it } from 'vitest';
import { START } from '../support/claude-session.ts';
import { judgeBatches, judgeText } from '../support/judge-session.ts';
import { type Log, lines, logBatch, spanBatch } from '../support/otlp.ts';

describe('Gemini CLI', () => {
  it('has token buckets that overlap, and a total that says which', () => {
    const response = (counts: Log['attributes']) =>
      judgeBatches([
        logBatch([
          {
            at: START,
            attributes: { 'event.name': 'gemini_cli.api_response', 'session.id': 'g', ...counts },
          },
        ]),
      ]).stats.total_tokens;
    const counts = {
      input_token_count: 100,
      output_token_count: 10,
      thoughts_token_count: 5,
      tool_token_count: 50,
    };
    expect(response({ ...counts, total_token_count: 165 })).toBe(115);
    expect(response({ ...counts, total_token_count: 110 })).toBe(110);
    expect(response(counts)).toBe(115);
  });
});

describe('Copilot', () => {
  it('tells what happens to a session as events within spans, and calls the window session.id', () => {
    const span = (conversation: string, n: number) => ({
      name: 'invoke_agent copilot',
      traceId: String(n).repeat(32),
      spanId: String(n).repeat(16),
      from: START,
      to: START + 1000,
      attributes: {
        'session.id': 'window',
        'gen_ai.conversation.id': conversation,
        'gen_ai.operation.name': 'invoke_agent',
      },
      events: [
        { name: 'exception', at: START + 500, attributes: { 'github.copilot.error_type': 'x' } },
        { name: 'github.copilot.session.compaction_complete', at: START + 600 },
      ],
    });
    const verdicts = judgeText(
      lines([spanBatch([span('one', 1), span('two', 2)], { resource: { 'service.name': 'copilot-chat' } })]),
    );
    expect(
      verdicts.map(({ session, signals }) => [session.session_id, signals.errors, signals.compactions]),
    ).toEqual([
      ['one', 1, 1],
      ['two', 1, 1],
    ]);
  });
});

describe('opencode', () => {
  it('may have the name of a tool in that of the span, and repeats tokens on the outer span', () => {
    const span = (name: string, n: number, attributes = {}) => ({
      name,
      traceId: '1'.repeat(32),
      spanId: String(n).repeat(16),
      from: START,
      to: START + 1000,
      attributes: { 'session.id': 'o', ...attributes },
    });
    const tokens = { 'ai.usage.promptTokens': 100, 'ai.usage.completionTokens': 10 };
    const verdict = judgeBatches([
      spanBatch([
        span('ai.streamText', 1, tokens),
        span('ai.streamText.doStream', 2, tokens),
        span('ai.toolCall bash', 3),
      ]),
    ]);
    expect(verdict.stats).toMatchObject({ total_tokens: 110 });
    expect(verdict.tool_mix).toEqual({ bash: { calls: 1, ok: 1 } });
    expect(verdict.missing_inputs).toContain('cache_tokens');
  });
});
