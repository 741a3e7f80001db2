/** The traps that Codex sets, one test each. */
import { describe, expect, it } from 'vitest';
import { judgeBatches } from '../support/judge-session.ts';
import { type Log, logBatch, spanBatch } from '../support/otlp.ts';

const T = Date.UTC(2026, 10, 1, 9);

describe('Codex', () => {
  const codex = (
    events: [name: string, second: number, attributes?: Log['attributes']][],
    session: Log['attributes'] = { 'conversation.id': 'c' },
  ) =>
    logBatch(
      events.map(([name, second, attributes = {}]) => ({
        at: T + second * 1000,
        attributes: { 'event.name': `codex.${name}`, ...session, ...attributes },
      })),
      { resource: { 'service.name': 'my_originator' } },
    );

  it('is known by its events, whoever started it', () => {
    expect(judgeBatches([codex([['user_prompt', 0]])]).session).toMatchObject({
      dialects: ['codex'],
      agent_id: 'my_originator',
    });
  });

  it('repeats a tool result as a sandbox outcome, which counts for nothing', () => {
    expect(
      judgeBatches([
        codex([
          ['tool_result', 1, { call_id: 'a', tool_name: 'shell', success: 'true' }],
          ['sandbox_outcome', 1, { call_id: 'a', tool_name: 'shell' }],
        ]),
      ]).stats.total_tools,
    ).toBe(1);
  });

  it('logs every attempt, of which only the last can have failed for good', () => {
    const attempt = (second: number, number: number, status: number): Parameters<typeof codex>[0][number] => [
      'api_request',
      second,
      { attempt: number, 'http.response.status_code': status },
    ];
    const signals = (...attempts: Parameters<typeof codex>[0][number][]) =>
      judgeBatches([codex(attempts)]).signals;
    expect(signals(attempt(1, 0, 500), attempt(2, 1, 200))).toMatchObject({ errors: 0, retries: 1 });
    expect(signals(attempt(1, 0, 500), attempt(2, 1, 503), attempt(3, 2, 503))).toMatchObject({
      errors: 1,
      retries: 2,
    });
    expect(signals(attempt(1, 0, 400), attempt(2, 0, 200))).toMatchObject({ errors: 1, retries: 0 });
  });

  it('rejects no tool by a decision that does not say so', () => {
    const decided = (attributes: Log['attributes']) =>
      judgeBatches([codex([['tool_decision', 1, { call_id: 'a', tool_name: 'shell', ...attributes }]])])
        .signals;
    expect(decided({})).toMatchObject({ rejected_tools: 0 });
    expect(decided({ decision: 'denied' })).toMatchObject({ rejected_tools: 1 });
  });

  it('logs the wrapper of code mode beside the commands in it, of which the commands count', () => {
    expect(
      judgeBatches([
        codex([
          ['tool_result', 1, { call_id: 'a', tool_name: 'exec_command', success: 'true' }],
          ['tool_result', 2, { call_id: 'w', tool_name: 'exec', success: 'true' }],
        ]),
      ]).tool_mix,
    ).toEqual({ exec_command: { calls: 1, ok: 1 } });
  });

  it('calls the session thread.id on spans, and the turn gen_ai.conversation.id', () => {
    const id = '0199a1b2-0000-7000-8000-000000000001';
    const span = spanBatch([
      {
        name: 'run_turn',
        traceId: '1'.repeat(32),
        spanId: '2'.repeat(16),
        from: T,
        to: T + 9_000,
        attributes: {
          'thread.id': id,
          'gen_ai.conversation.id': 'turn',
          'gen_ai.operation.name': 'invoke_agent',
        },
      },
    ]);
    const verdict = judgeBatches([codex([['user_prompt', 1]], { 'conversation.id': id }), span]);
    expect(verdict).toMatchObject({ session: { session_id: id }, stats: { prompts: 1 }, duration_min: 0.2 });
  });

  it('is not mistaken for a program whose threads have numbers', () => {
    const span = spanBatch([
      {
        name: 'chat m',
        traceId: '1'.repeat(32),
        spanId: '2'.repeat(16),
        from: T,
        to: T,
        attributes: { 'thread.id': 7, 'gen_ai.conversation.id': 'g', 'gen_ai.operation.name': 'chat' },
      },
    ]);
    expect(judgeBatches([span]).session).toMatchObject({ session_id: 'g', dialects: ['genai'] });
  });

  it('may say what a turn cost, which counts before any price table', () => {
    const tokens = {
      'event.kind': 'response.completed',
      model: 'gpt-5-codex',
      input_token_count: '1000',
      output_token_count: '10',
    };
    const verdict = judgeBatches([
      codex([
        ['sse_event', 1, tokens],
        ['turn_cost', 2, { 'usage.estimated_usd': '0.125', 'turn.id': 't' }],
        ['turn_cost', 2, { 'usage.estimated_usd': '0.125', 'turn.id': 't' }],
      ]),
    ]);
    expect(verdict.cost).toMatchObject({ reported_usd: 0.125, priced_usd: 0 });
    expect(verdict.stats.total_cost).toBe(0.125);
  });

  it.each(['denied', 'denied_with_network_policy_deny', 'timed_out', 'abort'])(
    'lets a tool not run when it was %s',
    (decision) => {
      expect(
        judgeBatches([codex([['tool_decision', 1, { call_id: 'a', decision }]])]).signals.rejected_tools,
      ).toBe(1);
    },
  );

  it.each([
    'approved',
    'approved_for_session',
    'approved_with_amendment',
    'approved_mcp_policy_amendment',
    'Approved',
  ])('lets a tool run when it was %s', (decision) => {
    expect(
      judgeBatches([codex([['tool_decision', 1, { call_id: 'a', decision }]])]).signals.rejected_tools,
    ).toBe(0);
  });
});
