import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractSignals } from './extract-signals.ts';
import { TurnReader } from './read-turns.ts';
import type { ToolCall, Turn } from './turn.ts';

const turn = (given: Partial<Turn>): Turn => ({
  sessionId: 's',
  traceId: 't',
  startedAt: null,
  request: null,
  answers: [],
  calls: [],
  tools: null,
  ...given,
});
const call = (name: string, input: string, given: Partial<ToolCall> = {}): ToolCall => ({
  name,
  input,
  output: null,
  ok: true,
  ...given,
});
const signalsOf = (given: Partial<Turn>) => extractSignals(turn(given)).signals;

const FAILING_TESTS =
  'FAIL src/parser.test.ts expected 3 tokens and received 4 tokens at line 12 of the parser, 1 failed and 7 passed in 0.4 seconds';

describe('loop_detection', () => {
  it('is low for an agent that runs the same failing tests again and again', () => {
    const calls = Array.from({ length: 20 }, () =>
      call('bash', '{"command":"npm test"}', { output: FAILING_TESTS, ok: false }),
    );
    expect(signalsOf({ calls }).loop_detection).toBeCloseTo(1 / 20, 9);
  });

  it('is low for a cycle of different calls', () => {
    const cycle = ['read a', 'edit a', 'test'].map((input) =>
      call('tool', input, { output: `result of ${input}` }),
    );
    const calls = Array.from({ length: 8 }, () => cycle).flat();
    expect(signalsOf({ calls }).loop_detection).toBeCloseTo(3 / 24, 9);
  });

  it('is low for nearly the same output whatever is asked', () => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
    const calls = Array.from({ length: 10 }, (_, i) =>
      call('search', `{"q":"try ${i}"}`, { output: `${words} at ${i}` }),
    );
    expect(signalsOf({ calls }).loop_detection).toBeCloseTo(0.1, 9);
  });

  it('is high for healthy work, also when a file is read again after it was changed', () => {
    const calls = [
      call('read', 'parser.ts', { output: 'export function parse(text: string) { return text.split(" ") }' }),
      call('edit', 'parser.ts', { output: 'ok' }),
      call('read', 'parser.ts', {
        output: 'export function parse(text: string) { return text.trim().split(/\\s+/) }',
      }),
      call('bash', 'npm test', { output: '8 passed' }),
    ];
    expect(signalsOf({ calls }).loop_detection).toBe(1);
  });

  it('hears somebody say the same thing over', () => {
    const said =
      'I will now look at the configuration file and find out which of the two settings is wrong here';
    expect(signalsOf({ answers: [said, `${said}!`, said] }).loop_detection).toBeCloseTo(1 / 3, 9);
  });
});

describe('loop_detection of little', () => {
  const unseen = { input: null, output: null };

  it('takes no call for a step of which neither arguments nor output are known', () => {
    const blind = Array.from({ length: 10 }, () => call('read', '', { ...unseen, ok: null }));
    expect(signalsOf({ calls: blind })).toEqual({});
    const seen = call('read', 'a', { output: 'x' });
    expect(extractSignals(turn({ calls: [...blind, seen, seen] }))).toMatchObject({
      signals: { loop_detection: 0.5 },
      source: expect.stringContaining('loop_detection@2 of 2 steps'),
    });
  });

  it('hears the same short answer, and sees the same short output, again and again', () => {
    const answers = Array.from({ length: 10 }, () => 'Let me try again.');
    expect(signalsOf({ answers }).loop_detection).toBeCloseTo(0.1, 9);
    const calls = Array.from({ length: 10 }, () =>
      call('read', '', { input: null, output: 'file not found' }),
    );
    expect(signalsOf({ calls }).loop_detection).toBeCloseTo(0.1, 9);
  });

  it('does not mind that different calls end in the same short output', () => {
    const calls = Array.from({ length: 10 }, (_, i) => call('edit', `file ${i}`, { output: 'ok' }));
    expect(signalsOf({ calls }).loop_detection).toBe(1);
  });
});

describe('tool_correctness', () => {
  it('is the share of calls that went right', () => {
    const calls = [call('a', '1'), call('a', '2', { ok: false }), call('b', '3'), call('b', '4')];
    expect(signalsOf({ calls }).tool_correctness).toBe(0.75);
  });

  it('counts a call that is repeated unchanged after failing twice', () => {
    const fails = call('a', '1', { ok: false });
    expect(signalsOf({ calls: [fails, fails, call('a', '2'), call('a', '3')] }).tool_correctness).toBeCloseTo(
      2 / 5,
      9,
    );
  });

  it('knows a tool there is not, and arguments that were refused', () => {
    expect(
      signalsOf({ calls: [call('a', '1'), call('z', '1', { ok: null })], tools: new Set(['a']) })
        .tool_correctness,
    ).toBe(0.5);
    const refused = call('a', '1', { ok: null, output: 'InputValidationError: path is required' });
    expect(signalsOf({ calls: [call('a', '2'), refused] }).tool_correctness).toBe(0.5);
  });
});

describe('tool_correctness of chats that do not say how a call went', () => {
  const chat = (outputs: readonly (string | null)[]) => {
    const reader = new TurnReader('chat');
    reader.add({ role: 'user', content: 'go' });
    outputs.forEach((content, i) => {
      const tool_calls = [{ id: `c${i}`, function: { name: 'weather', arguments: `{"n":${i}}` } }];
      reader.add({ role: 'assistant', content: null, tool_calls });
      if (content !== null) reader.add({ role: 'tool', tool_call_id: `c${i}`, content });
    });
    const [only] = reader.turns();
    return only ? extractSignals(only) : undefined;
  };
  const sunny = Array.from({ length: 49 }, (_, i) => `sunny ${i}, no error: all is well`);

  it('is the share of results that are no failure, once one of them is', () => {
    const { signals, source } = chat([...sunny, 'Invalid arguments: city', null]) ?? {};
    expect(signals?.tool_correctness).toBeCloseTo(49 / 50, 9);
    expect(source).toContain('tool_correctness@2 of 50 known outcomes');
    for (const failure of ['Error: failed', 'TypeError: x is undefined', '{"error": "no such city"}'])
      expect(chat(['sunny', failure])?.signals.tool_correctness).toBe(0.5);
  });

  it('is absent where no outcome can be seen', () => {
    expect(chat(sunny)?.signals).toEqual({ loop_detection: 1 });
  });
});

describe('coherence', () => {
  const request = 'Why does the nightly backup of the customer database fail since Tuesday?';
  it('is high for an answer on the subject and low for one on another', () => {
    const fitting = [
      'The backup fails because the database volume is full since Tuesday. Nightly snapshots fill it.',
    ];
    const foreign = [
      'Paris offers wonderful museums, charming cafes along the river, and bakeries with fresh croissants.',
    ];
    expect(signalsOf({ request, answers: fitting }).coherence).toBe(1);
    expect(signalsOf({ request, answers: foreign }).coherence).toBe(0);
  });
});

describe('confidence', () => {
  it('falls with hedging, with what is taken back, and with retries', () => {
    const sure = ['The port is taken by another process. Stop it and start the server again.'];
    const unsure = [
      'I think the port might be taken. Actually, no, perhaps it is the firewall. I could be wrong.',
    ];
    expect(signalsOf({ answers: sure }).confidence).toBe(1);
    expect(signalsOf({ answers: unsure }).confidence).toBeCloseTo(1 - 0.6 - 0.15, 9);
    const calls = [call('a', '1', { ok: false }), call('a', '2', { ok: false }), call('a', '3')];
    expect(signalsOf({ answers: sure, calls }).confidence).toBeCloseTo(0.8, 9);
  });
});

describe('confidence in other words', () => {
  it('is absent where the agent does not speak English', () => {
    const german =
      'Ich bin mir überhaupt nicht sicher, vielleicht ist das falsch. Eigentlich nein, ich habe mich geirrt. Vermutlich war es the-file.';
    const french = 'Je ne suis pas sûr, peut-être que ce fichier est le mauvais. Non, je me suis trompé.';
    const japanese = 'たぶん 違う と 思います が 確か では ありません 。 もう 一度 調べます';
    for (const text of [german, french, japanese]) expect(signalsOf({ answers: [text] })).toEqual({});
  });

  it('does not take a month or an army for a doubt', () => {
    const answers = [
      'The user wanted to know what might happen in May. The might of the army is well known to them.',
    ];
    expect(signalsOf({ answers }).confidence).toBe(1);
    expect(signalsOf({ answers: ['This might be the wrong file. It is the newest of the three.'] })).toEqual({
      confidence: 0.7,
    });
  });
});

describe('what cannot be seen', () => {
  it('is said of numbers alone, which are words and make no sentence', () => {
    expect(signalsOf({ answers: ['1 2 3 4 5 6 7 8 9 10'] })).toEqual({});
  });

  it('is absent, and never 1', () => {
    expect(extractSignals(turn({}))).toEqual({ signals: {}, source: 'extractors saw nothing' });
    expect(signalsOf({ request: 'Do it', answers: ['Done.'] })).toEqual({});
    expect(signalsOf({ calls: [call('a', '1', { ok: null })] })).toEqual({});
  });

  it('is what the source leaves out: it says which version made what, and from how much', () => {
    expect(extractSignals(turn({ calls: [call('a', '1'), call('b', '2')] })).source).toBe(
      'loop_detection@2 of 2 steps, tool_correctness@2 of 2 known outcomes',
    );
  });

  it('stays within 0 and 1 whatever comes', () => {
    const anyCall = fc.record({
      name: fc.constantFrom('a', 'b'),
      input: fc.option(fc.constantFrom('1', '2')),
      output: fc.option(fc.string()),
      ok: fc.option(fc.boolean()),
    });
    fc.assert(
      fc.property(
        fc.array(anyCall),
        fc.array(fc.string()),
        fc.option(fc.string()),
        (calls, answers, request) => {
          for (const value of Object.values(signalsOf({ calls, answers, request }))) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});

describe('turns of a conversation', () => {
  const session = (sessionId: string) => [
    {
      sessionId,
      type: 'user',
      timestamp: '2026-11-15T08:00:00Z',
      message: { role: 'user', content: 'Please repair the parser of the importer' },
    },
    {
      sessionId,
      type: 'assistant',
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'The parser of the importer drops the last line of every file it reads.' },
          { type: 'tool_use', id: `${sessionId}-1`, name: 'Read', input: { b: 1, a: 2 } },
        ],
      },
    },
    {
      sessionId,
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `${sessionId}-1`, is_error: true, content: 'no such file' },
        ],
      },
    },
    {
      sessionId,
      type: 'assistant',
      message: {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `${sessionId}-2`, name: 'Read', input: { a: 2, b: 1 } }],
      },
    },
    {
      sessionId,
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `${sessionId}-2`, content: [{ type: 'text', text: 'fine' }] },
        ],
      },
    },
  ];
  const extracted = (entries: readonly unknown[]) => {
    const reader = new TurnReader('unnamed');
    for (const entry of entries) reader.add(entry);
    const turns = reader
      .turns()
      .map((one) => ({ id: `${one.sessionId} ${one.traceId}`, at: one.startedAt, ...extractSignals(one) }));
    return turns.sort((a, b) => (a.id < b.id ? -1 : 1));
  };

  it('are the same however the events of unrelated sessions are mixed', () => {
    const [a, b, c] = ['a', 'b', 'c'].map(session) as [unknown[], unknown[], unknown[]];
    const expected = extracted([...a, ...b, ...c]);
    expect(expected).toHaveLength(3);
    expect(expected[0]).toMatchObject({
      id: 'a turn-1',
      at: Date.parse('2026-11-15T08:00:00Z'),
      signals: { tool_correctness: 0.5 },
    });
    fc.assert(
      fc.property(
        fc.shuffledSubarray([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2], { minLength: 15 }),
        (order) => {
          const queues = [[...a], [...b], [...c]];
          expect(extracted(order.map((i) => queues[i]?.shift()))).toEqual(expected);
        },
      ),
    );
  });

  it('do not mind in which order the results of one message come', () => {
    const calls = {
      role: 'assistant',
      content: '',
      tool_calls: ['1', '2'].map((id) => ({ id, function: { name: 'f', arguments: `{"n":${id}}` } })),
    };
    const results = ['1', '2'].map((id) => ({
      role: 'tool',
      tool_call_id: id,
      content: id === '1' ? 'unknown tool f' : 'ok',
    }));
    const ask = { role: 'user', content: 'go' };
    expect(extracted([{ messages: [ask, calls, ...results] }])).toEqual(
      extracted([{ messages: [ask, calls, ...results.reverse()] }]),
    );
  });
});
