/** The traps that telemetry of Claude Code sets, and those that any sets: one test each. */
import { describe, expect, it } from 'vitest';
import { CLAUDE, type ClaudeEvent, claudeSession, START } from '../support/claude-session.ts';
import { judgeBatches, judgeText, read } from '../support/judge-session.ts';
import { type Log, lines, logBatch, metricBatch, spanBatch } from '../support/otlp.ts';

const claude = (events: readonly ClaudeEvent[], session = 's', origin = CLAUDE) =>
  claudeSession(session, events, origin);

describe('Claude Code', () => {
  it('never reports a result for a rejected tool: it counts as rejected and not as a tool', () => {
    const verdict = judgeBatches([
      claude([
        ['user_prompt', 0],
        [
          'tool_decision',
          1,
          { tool_name: 'Bash', tool_use_id: 'a', decision: 'reject', source: 'user_reject' },
        ],
        ['tool_result', 2, { tool_name: 'Read', tool_use_id: 'b', success: 'true' }],
      ]),
    ]);
    expect(verdict).toMatchObject({ stats: { total_tools: 1, tools_ok: 1 }, signals: { rejected_tools: 1 } });
  });

  it('reports an error once, after all retries', () => {
    expect(
      judgeBatches([
        claude([
          ['api_error', 0, { attempt: '11', status_code: '529' }],
          ['api_retries_exhausted', 0, { total_attempts: '11' }],
        ]),
      ]).signals,
    ).toMatchObject({ errors: 1, retries: 10 });
  });

  it('sends numbers as text, and truth as text', () => {
    const verdict = judgeBatches([
      claude([
        ['user_prompt', 0, { prompt_length: '4' }],
        ['tool_result', 1, { tool_name: 'Bash', success: 'false' }],
        [
          'api_request',
          2,
          {
            model: 'm',
            input_tokens: '1',
            output_tokens: '2',
            cache_read_tokens: '3',
            cache_creation_tokens: '4',
            cost_usd: '0.25',
          },
        ],
      ]),
    ]);
    expect(verdict.stats).toMatchObject({
      total_tools: 1,
      tools_ok: 0,
      total_tokens: 10,
      cache_tokens: 3,
      total_cost: 0.25,
    });
  });

  it('counts input without the cache, Codex with it: the hit ratio comes out the same', () => {
    const codex = logBatch([
      {
        at: START,
        attributes: {
          'event.name': 'codex.sse_event',
          'event.kind': 'response.completed',
          'conversation.id': 's',
          input_token_count: '900',
          output_token_count: '100',
          cached_token_count: '600',
          cache_write_token_count: '200',
          tool_token_count: '1000',
        },
      },
    ]);
    const ours = claude([
      [
        'api_request',
        0,
        { input_tokens: 100, output_tokens: 100, cache_read_tokens: 600, cache_creation_tokens: 200 },
      ],
    ]);
    for (const batch of [codex, ours])
      expect(judgeBatches([batch]).stats).toMatchObject({ total_tokens: 1000, cache_tokens: 600 });
  });

  it('is asked less often under an SDK, so that sessions are compared with those started the same way', () => {
    const session = (i: number, entrypoint: string) =>
      claude(
        [
          ['user_prompt', i * 100, { 'app.entrypoint': entrypoint }],
          ['tool_result', i * 100 + 1, { tool_name: 'Bash', success: 'true', 'app.entrypoint': entrypoint }],
        ],
        `${entrypoint}-${i}`,
      );
    const batches = [0, 1, 2, 3, 4, 5].flatMap((i) => [
      session(i, 'sdk-cli'),
      ...(i > 3 ? [session(i, 'cli')] : []),
    ]);
    const verdicts = judgeText(lines(batches));
    const baselineOf = (id: string) =>
      verdicts.find(({ session: { session_id } }) => session_id === id)?.baseline;
    expect(baselineOf('sdk-cli-5')).toMatchObject({ sessions: 5, difference: 0 });
    expect(baselineOf('cli-5')).toBe('not enough sessions yet (1 of 5)');
  });

  it('tells lines, commits, pull requests and active time only as metrics, and deltas add up', () => {
    const metric = (name: string, value: number, from: number, type: string) => ({
      name: `claude_code.${name}`,
      value,
      from: START + from,
      to: START + from + 60_000,
      temporality: 'delta' as const,
      attributes: { 'session.id': 's', type },
    });
    const batch = metricBatch(
      [
        metric('lines_of_code.count', 5, 0, 'added'),
        metric('lines_of_code.count', 7, 60_000, 'added'),
        metric('commit.count', 1, 0, ''),
        metric('active_time.total', 30, 0, 'cli'),
      ],
      CLAUDE,
    );
    expect(judgeBatches([claude([['user_prompt', 0]]), batch, batch]).outcomes).toEqual({
      'lines_of_code.count/added': 12,
      'commit.count': 1,
      'active_time.total/cli': 30,
    });
  });

  it('may have several series of one metric, apart in attributes that nobody reads', () => {
    const point = (value: number, query_source: string, temporality: 'delta' | 'cumulative') => ({
      name: 'claude_code.token.usage',
      value,
      from: START,
      to: START + 60_000,
      temporality,
      attributes: { 'session.id': 's', type: 'input', model: 'm', query_source },
    });
    for (const temporality of ['delta', 'cumulative'] as const) {
      const batch = metricBatch(
        [point(1000, 'main', temporality), point(700, 'subagent', temporality)],
        CLAUDE,
      );
      expect(judgeBatches([batch, batch]).stats.total_tokens).toBe(1700);
    }
  });

  it('is told apart from Cowork, which speaks the same, by the name of the service', () => {
    const cowork = claude([['user_prompt', 0]], 'w', { ...CLAUDE, resource: { 'service.name': 'cowork' } });
    expect(judgeBatches([cowork]).session).toMatchObject({ agent_id: 'cowork', dialects: ['claude-code'] });
  });

  it('has names that users made up redacted, and counts them all the same', () => {
    expect(
      judgeBatches([
        claude([
          ['tool_result', 1, { tool_name: 'mcp_tool', success: 'true' }],
          ['tool_result', 2, { tool_name: 'mcp_tool', success: 'true' }],
        ]),
      ]).tool_mix,
    ).toEqual({ mcp_tool: { calls: 2, ok: 2 } });
  });
});

describe('sessions', () => {
  it('are known by their id, not by their traces, and some send metrics alone', () => {
    const usage = (type: string, value: number) => ({
      name: 'claude_code.token.usage',
      value,
      from: START,
      to: START + 60_000,
      temporality: 'delta' as const,
      attributes: { 'session.id': 'm', type, model: 'x' },
    });
    const cost = {
      name: 'claude_code.cost.usage',
      value: 0.5,
      from: START,
      to: START + 60_000,
      temporality: 'delta' as const,
      attributes: { 'session.id': 'm', model: 'x' },
    };
    const verdict = judgeBatches([
      metricBatch(
        [usage('input', 10), usage('output', 20), usage('cacheRead', 60), usage('cacheCreation', 10), cost],
        CLAUDE,
      ),
    ]);
    expect(verdict.stats).toMatchObject({
      total_tokens: 100,
      cache_tokens: 60,
      total_cost: 0.5,
      total_tools: 0,
    });
    expect(verdict.missing_inputs).toEqual(['total_tools', 'tools_ok', 'prompts']);
    expect(verdict.affected_dimensions).toEqual(['quality', 'autonomy', 'productivity', 'cost_efficiency']);
  });

  it('are told apart when they run at the same time', () => {
    const events = (session: string, offset: number) =>
      [0, 2, 4].map((second) =>
        claude(
          [
            [
              'tool_result',
              second + offset,
              { tool_name: 'Bash', tool_use_id: `${session}-${second}`, success: 'true' },
            ],
          ],
          session,
        ),
      );
    const [a, b] = [events('a', 0), events('b', 1)];
    const verdicts = judgeText(lines([a[0], b[0], a[1], b[1], b[2], a[2]] as object[]));
    expect(verdicts.map(({ session, stats }) => [session.session_id, stats.total_tools])).toEqual([
      ['a', 3],
      ['b', 3],
    ]);
  });

  it('belong to who the records say, the plainest word first', () => {
    const names = [
      {},
      { 'gen_ai.agent.name': 'named' },
      { 'gen_ai.agent.id': 'id' },
      { 'renown.agent_id': 'ours' },
    ];
    const agents = names.map(
      (_, i) =>
        judgeBatches([claude([['user_prompt', 0, Object.assign({}, ...names.slice(0, i + 1))]])]).session
          .agent_id,
    );
    expect(agents).toEqual(['claude-code', 'named', 'id', 'ours']);
  });

  it.each([
    ['tokens whose sum is infinite', { input_tokens: '1e308' }],
    ['more tokens than there are', { output_tokens: 1e13 }],
    ['a cost below 0', { cost_usd: '-5' }],
    ['a cost out of all bounds', { cost_usd: 1e300 }],
  ])('are not spoilt by a record with %s, which is counted as unusable', (_, odd) => {
    const request = (id: string, attributes: Log['attributes']) =>
      claude([['api_request', 1, { request_id: id, input_tokens: 10, cost_usd: 1, ...attributes }]]);
    const batches = [request('a', {}), request('b', odd), request('c', odd)];
    expect(read(lines(batches)).reading).toMatchObject({ records: 3, unsound: 2 });
    expect(judgeBatches(batches).stats).toMatchObject({ total_tokens: 10, total_cost: 1 });
  });

  it('are not spoilt by a record from beyond the end of time, nor by a line of a transcript', () => {
    const beyond = JSON.stringify(claude([['user_prompt', 2]])).replace(
      /"timeUnixNano":"\d+"/,
      '"timeUnixNano":"1e26"',
    );
    const transcript = { type: 'assistant', sessionId: 's', timestamp: new Date(START).toISOString() };
    const usage = { input_tokens: 1e308, output_tokens: 1 };
    const entry = JSON.stringify({ ...transcript, requestId: 'r', message: { model: 'm', usage } });
    const text = `${lines([claude([['user_prompt', 1]])])}${beyond}\n${entry}\n`;
    expect(read(text).reading).toMatchObject({ records: 3, unsound: 2 });
    expect(judgeText(text)).toMatchObject([{ stats: { prompts: 1, total_tokens: 0 } }]);
  });

  it('take no free text from the name of a span for the name of a tool or a model', () => {
    const span = (spanId: string, name: string) => ({
      name,
      traceId: 'a'.repeat(32),
      spanId: spanId.repeat(16),
      from: START,
      to: START + 5,
      attributes: { 'session.id': 's', 'gen_ai.operation.name': name.split(' ')[0] ?? '' },
    });
    const verdict = judgeBatches([
      spanBatch([
        span('1', 'execute_tool readFile'),
        span('2', 'execute_tool please delete the secret'),
        span('3', 'chat tell me the secret'),
      ]),
    ]);
    expect(verdict.tool_mix).toEqual({ readFile: { calls: 1, ok: 1 }, '': { calls: 1, ok: 1 } });
    expect(JSON.stringify(verdict)).not.toContain('secret');
  });

  it('may have a span that ends before it begins, of which only the duration is not known', () => {
    const span = { name: 'execute_tool ls', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const attributes = { 'session.id': 's' };
    expect(
      judgeBatches([spanBatch([{ ...span, from: START + 5, to: START, attributes }])]).stats,
    ).toMatchObject({
      total_tools: 1,
    });
  });

  it('are not doubled by a replay: the same event under the same id counts once, whatever comes between', () => {
    const batch = claude([
      ['tool_result', 1, { tool_name: 'Bash', tool_use_id: 't', success: 'true' }],
      ['api_request', 2, { request_id: 'r', cost_usd: 1, input_tokens: 5, output_tokens: 5 }],
      ['compaction', 3],
    ]);
    expect(judgeBatches([batch, claude([['user_prompt', 9]]), batch])).toMatchObject({
      stats: { total_tools: 1, total_cost: 1, total_tokens: 10 },
      signals: { compactions: 1 },
    });
  });
});

describe('events without an id', () => {
  const gemini = (args: string) =>
    logBatch(
      [
        {
          name: 'gemini_cli.tool_call',
          at: START,
          attributes: {
            'session.id': 's',
            function_name: 'read_file',
            function_args: args,
            success: true,
            duration_ms: 3,
          },
        },
      ],
      { resource: { 'service.name': 'gemini-cli' } },
    );
  const tools = (batches: object[]) => judgeBatches(batches).stats.total_tools;

  it('are apart when they differ in anything, also in what is not read, and one when they do not', () => {
    const calls = ['a', 'b', 'c'].map((path) => gemini(`{"path":"${path}"}`));
    expect(tools(calls)).toBe(3);
    expect(tools([...calls, ...calls])).toBe(3);
  });

  it('are apart by their place in the session where the sender counts', () => {
    const result = (sequence: number, note: string) =>
      claude([
        [
          'tool_result',
          1,
          { tool_name: 'Bash', success: 'true', duration_ms: 5, 'event.sequence': sequence, note },
        ],
      ]);
    expect(tools([1, 2, 3].map((sequence) => result(sequence, '')))).toBe(3);
    // A collector that adds an attribute tells of the same event.
    expect(tools([result(1, ''), result(1, 'from a collector')])).toBe(1);
  });
});
