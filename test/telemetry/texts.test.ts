import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { RequestReader } from '../../src/telemetry/request-reader.ts';
import { extractSignals } from '../../src/telemetry/signals/extract-signals.ts';
import { type PassedTurn, TurnCollector } from '../../src/telemetry/signals/turn-collector.ts';
import type { Texts } from '../../src/telemetry/texts.ts';
import { heldBytesAfter } from '../support/held-memory.ts';
import { type Log, logBatch, type Span, spanBatch } from '../support/otlp.ts';

function readWithHook(body: string) {
  const seen: [kind: string, texts: Texts][] = [];
  const reading = new RequestReader().read(
    Buffer.from(body),
    { encoding: 'json', signal: 'logs' },
    ({ kind }, texts) => seen.push([kind, texts]),
  );
  return { seen, table: reading?.table };
}

const batch = JSON.stringify(
  logBatch([
    {
      name: 'claude_code.user_prompt',
      at: 1,
      attributes: { 'session.id': 's', prompt: 'the secret question' },
    },
    {
      name: 'claude_code.tool_result',
      at: 2,
      attributes: { 'session.id': 's', tool_name: 'Bash', success: 'true', tool_input: 'the secret command' },
    },
    { name: 'claude_code.compaction', at: 3, attributes: { 'session.id': 's' } },
  ]),
);

describe('texts', () => {
  it('pass by whoever asked to see them, with the event they belong to', () => {
    expect(readWithHook(batch).seen).toEqual([
      ['prompt', { prompt: 'the secret question' }],
      ['tool', { tool_input: 'the secret command' }],
    ]);
  });

  it('of a request that breaks off pass by nobody', () => {
    expect(readWithHook(batch.slice(0, -10)).seen).toEqual([]);
  });

  it('are nowhere in what is kept', () => {
    const { described, columns } = readWithHook(batch).table?.toParts() ?? { described: '', columns: [] };
    expect(described).not.toBe('');
    expect(Buffer.concat([Buffer.from(described), ...columns]).includes('secret')).toBe(false);
  });
});

const MEGABYTE = 1024 * 1024;

/** Takes records as a receiver does, a request for each, and hands their texts to a collector. */
function collectTurns() {
  const reader = new RequestReader();
  const turns = new TurnCollector();
  return {
    turns,
    take(name: string, attributes: Log['attributes']): PassedTurn[] {
      const over: PassedTurn[] = [];
      const request = logBatch([{ name: `claude_code.${name}`, at: 1, attributes: attributes ?? {} }]);
      reader.read(
        Buffer.from(JSON.stringify(request)),
        { encoding: 'json', signal: 'logs' },
        (event, texts) => {
          over.push(...turns.add('acme', event, texts, 0));
        },
      );
      return over;
    },
  };
}

describe('a turn that is open', () => {
  it('holds its texts, and not the requests they came in', () => {
    const { turns, take } = collectTurns();
    const junk = 'j'.repeat(2 * MEGABYTE);
    const held = heldBytesAfter(() => {
      for (let i = 0; i < 20; i++) {
        const session = `session-with-a-turn-${i}`;
        const of = { 'session.id': session, 'prompt.id': `prompt-with-an-id-${i}`, junk };
        take('user_prompt', { ...of, prompt: `something long enough to be a view, ${i}` });
        take('assistant_response', { ...of, response: `an answer long enough to be a view, ${i}` });
        const call = { tool_name: `a-tool-with-a-name-${i}`, tool_use_id: `a-call-with-an-id-${i}` };
        take('tool_result', { ...of, ...call, tool_input: `input long enough to be a view, ${i}` });
      }
    });
    expect(held).toBeLessThan(40 * MEGABYTE);
    expect(turns.quietSince(0)).toHaveLength(20);
  });

  it('holds no more answers, and no longer ids, than there are bounds for', () => {
    const { turns, take } = collectTurns();
    const full = 'x'.repeat(LIMITS.turnTextLengthMax);
    for (let i = 0; i < LIMITS.turnAnswersMax + 5; i++) {
      take('assistant_response', { 'session.id': 'many', response: `answer ${i}` });
      if (i < 5) take('assistant_response', { 'session.id': 'long', response: `${i}${full}` });
    }
    const [many, long] = ['many', 'long'].map((id) => turns.end('acme', id)[0]);
    expect(many?.answers).toHaveLength(LIMITS.turnAnswersMax);
    expect(long?.answers.map(({ length }) => length)).toEqual([LIMITS.turnTextLengthMax]);
    const held = heldBytesAfter(() => {
      for (let i = 0; i < 20; i++) {
        const call = { tool_name: 'Bash', tool_use_id: `${i}`.padEnd(MEGABYTE, 'i'), tool_input: 'ls' };
        take('tool_result', { 'session.id': 'ids', ...call });
      }
    });
    expect(held).toBeLessThan(10 * MEGABYTE);
    expect(turns.end('acme', 'ids')[0]?.calls).toHaveLength(20);
  });

  it('is no loop because there is no room for what it does', () => {
    const { turns, take } = collectTurns();
    for (let i = 0; i < 100; i++) {
      const output = `different${i} `.repeat(600);
      const call = {
        tool_name: 'Read',
        tool_use_id: `c${i}`,
        success: 'true',
        tool_input: `{"path":"f${i}"}`,
      };
      take('tool_result', { 'session.id': 'healthy', ...call, output });
    }
    const [turn] = turns.end('acme', 'healthy');
    expect(turn?.calls).toHaveLength(100);
    expect(turn?.calls).toContainEqual({ name: 'Read', input: null, output: null, ok: true });
    expect(turn && extractSignals(turn).signals).toMatchObject({ loop_detection: 1, tool_correctness: 1 });
  });

  it('makes room for others when all of them hold too much', () => {
    const { turns, take } = collectTurns();
    const prompt = 'x'.repeat(LIMITS.turnTextLengthMax);
    const fitting = LIMITS.turnsTextLengthMax / LIMITS.turnTextLengthMax;
    const over = Array.from({ length: fitting + 2 }, (_, i) =>
      take('user_prompt', { 'session.id': `s${i}`, prompt }),
    ).flat();
    expect(over.map(({ sessionId }) => sessionId)).toEqual(['s0', 's1']);
    expect(turns.quietSince(0)).toHaveLength(fitting);
  });
});

describe('a turn of spans', () => {
  const AT = Date.UTC(2026, 10, 15, 9);
  const trace = (k: number) => String(k).repeat(32);
  const span = (k: number, n: number, operation: string, attributes: Span['attributes']): Span => ({
    name: `${operation} x`,
    traceId: trace(k),
    spanId: `${k}${n}`.padEnd(16, '0'),
    from: AT + k * 1_000 + n,
    to: AT + k * 1_000 + (n === 0 ? 500 : n + 1),
    attributes: { 'gen_ai.conversation.id': 's', 'gen_ai.operation.name': operation, ...attributes },
  });
  const call = (k: number, n: number) =>
    span(k, n, 'execute_tool', {
      'gen_ai.tool.name': 'read',
      'gen_ai.tool.call.id': `c${k}${n}`,
      // The second turn asks the same thing over and over, and fails.
      'gen_ai.tool.call.arguments': JSON.stringify({ n: k === 2 ? 0 : n }),
      'gen_ai.tool.call.result': k === 2 ? 'no such file' : `result ${n}`,
      ...(k === 2 && { 'error.type': 'boom' }),
    });
  const asked = 'Please list the files below the folder of the importer';
  const said = ['I will look at the folder of the importer.', 'These are the files below that folder.'];
  const turnOf = (k: number) => [
    span(k, 0, 'invoke_agent', { 'gen_ai.input.messages': asked, 'gen_ai.output.messages': said[1] ?? '' }),
    ...[1, 2, 3].map((n) => call(k, n)),
    ...said.map((text, i) =>
      span(k, 4 + i, 'chat', { 'gen_ai.input.messages': 'tool results', 'gen_ai.output.messages': text }),
    ),
  ];
  const collect = (spans: readonly Span[]) => {
    const reader = new RequestReader();
    const turns = new TurnCollector();
    const over: PassedTurn[] = [];
    for (const one of spans) {
      const request = Buffer.from(JSON.stringify(spanBatch([one])));
      reader.read(request, { encoding: 'json', signal: 'traces' }, (event, texts) => {
        over.push(...turns.add('acme', event, texts, 0));
      });
    }
    over.push(...turns.quietSince(0));
    return over.sort((a, b) => (a.traceId < b.traceId ? -1 : 1));
  };

  const parts = (role: string, content: string) => [{ role, parts: [{ type: 'text', content }] }];
  const answer = 'Elephants remember waterholes, and giraffes browse acacia branches.';
  const call1 = {
    role: 'assistant',
    parts: [{ type: 'tool_call', name: 'read', arguments: { content: 1 } }],
  };
  it.each<[string, unknown, unknown]>([
    ['parts', [...parts('user', 'hello'), call1, ...parts('user', asked)], parts('assistant', answer)],
    ['content', [{ role: 'user', content: asked }], [{ role: 'assistant', content: answer }]],
    [
      'blocks',
      [
        { role: 'user', content: [{ text: asked }] },
        { role: 'tool', content: 'x' },
      ],
      [{ role: 'assistant', content: [{ type: 'text', text: answer }] }],
    ],
    ['one message', { role: 'user', content: asked }, { role: 'model', parts: [{ text: answer }] }],
    ['text', asked, answer],
  ])('is read from messages as %s, without the names of their fields', (_, input, output) => {
    const told = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    const [turn] = collect([
      span(1, 0, 'invoke_agent', {
        'gen_ai.input.messages': told(input),
        'gen_ai.output.messages': told(output),
      }),
    ]);
    expect(turn).toMatchObject({ request: asked, answers: [answer] });
    expect(turn && extractSignals(turn).signals.coherence).toBe(0);
  });

  it('says nothing where messages are cut off, too long or of another shape', () => {
    const whole = JSON.stringify(parts('user', asked));
    const long = JSON.stringify(parts('user', 'x'.repeat(LIMITS.messagesLengthMax)));
    for (const told of [whole.slice(0, -3), long, '[{"a":1}]', '{"role":"user"}'])
      expect(collect([span(1, 0, 'invoke_agent', { 'gen_ai.input.messages': told })])).toEqual([]);
  });

  it('is that of their trace, and the same in whatever order they come, and come again', () => {
    const spans = [1, 2, 3].flatMap(turnOf);
    const expected = collect(spans);
    expect(expected.map(({ traceId }) => traceId)).toEqual([1, 2, 3].map(trace));
    expect(expected[0]).toMatchObject({ request: asked, answers: said, startedAt: AT + 1_000 });
    expect(expected.map((turn) => extractSignals(turn).signals.tool_correctness)).toEqual([1, 0, 1]);
    const anyOrder = fc.shuffledSubarray([...spans, ...spans], { minLength: 2 * spans.length });
    fc.assert(
      fc.property(anyOrder, (order) => {
        expect(collect(order)).toEqual(expected);
      }),
    );
    const childrenFirst = spans.toSorted((a, b) => a.to - b.to);
    expect(collect(childrenFirst)).toEqual(expected);
  });
});
