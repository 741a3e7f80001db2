/** The judge before a stand-in for a model's endpoint: a real server that answers well, badly, late or not at all. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { toQuestion } from '../../src/service/judge-question.ts';
import { SignalJudge } from '../../src/service/signal-judge.ts';
import type { Turn } from '../../src/telemetry/signals/turn.ts';

const TURN: Turn = {
  sessionId: 's',
  traceId: 't',
  startedAt: null,
  request: 'What is the capital of France?',
  answers: ['It is Paris.'],
  calls: [{ name: 'search', input: '{"q":"France"}', output: 'Paris', ok: true }],
  tools: null,
};
const GOOD = { confidence: 0.9, tool_correctness: null, coherence: 1 };

let close = async () => {};
afterEach(() => close());

interface Asked {
  headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into requests of two shapes.
  body: any;
}

async function standIn(answer: (response: ServerResponse) => void): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push({ headers: request.headers, body: JSON.parse(text) });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const openAi = (content: string) => JSON.stringify({ choices: [{ message: { content } }] });
const judgeAt = (url: string, given = {}) =>
  new SignalJudge({ url, model: 'small', key: 'k', timeoutMs: 5_000, ...given });

describe('the judge', () => {
  it('asks an endpoint like OpenAI’s at temperature 0 for a fixed shape, once for the same content', async () => {
    const { url, asked } = await standIn((response) => response.end(openAi(JSON.stringify(GOOD))));
    const judge = judgeAt(url);
    expect(
      await Promise.all([
        judge.judge(toQuestion(TURN)),
        judge.judge(toQuestion({ ...TURN, traceId: 'other' })),
      ]),
    ).toEqual([GOOD, GOOD]);
    expect(await judge.judge(toQuestion(TURN))).toEqual(GOOD);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers.authorization).toBe('Bearer k');
    expect(asked[0]?.body).toMatchObject({ model: 'small', temperature: 0, max_tokens: 200 });
    expect(asked[0]?.body.response_format.json_schema.strict).toBe(true);
    expect(judge.faults).toEqual({});
  });

  it('asks Anthropic’s endpoint through a tool it must use', async () => {
    const { url, asked } = await standIn((response) =>
      response.end(
        JSON.stringify({
          content: [
            { type: 'text', text: 'x' },
            { type: 'tool_use', input: GOOD },
          ],
        }),
      ),
    );
    expect(await judgeAt(`${url}/messages`).judge(toQuestion(TURN))).toEqual(GOOD);
    expect(asked[0]?.headers['x-api-key']).toBe('k');
    expect(asked[0]?.body).toMatchObject({ temperature: 0, tool_choice: { type: 'tool', name: 'report' } });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['429', (response) => response.writeHead(429).end('{}'), 'refused'],
    ['500', (response) => response.writeHead(500).end(openAi(JSON.stringify(GOOD))), 'refused'],
    ['no answer in time', () => {}, 'timeout'],
    [
      'a stream that is cut',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"choices":[{"mess');
        setImmediate(() => response.destroy());
      },
      'unreachable',
    ],
    ['no JSON', (response) => response.end('<html>'), 'unreadable'],
    ['no JSON within', (response) => response.end(openAi('I would say 0.9')), 'unreadable'],
    ['another shape', (response) => response.end(JSON.stringify({ result: GOOD })), 'out_of_shape'],
    ['a field missing', (response) => response.end(openAi('{"confidence":1}')), 'out_of_shape'],
    [
      'a number out of range',
      (response) => response.end(openAi(JSON.stringify({ ...GOOD, coherence: 1.2 }))),
      'out_of_shape',
    ],
    [
      'a text for a number',
      (response) => response.end(openAi(JSON.stringify({ ...GOOD, confidence: '1' }))),
      'out_of_shape',
    ],
    ['more than was asked for', (response) => response.end(openAi('1'.repeat(300_000))), 'unreadable'],
  ])('leaves the signals absent, and counts it, on %s', async (_, answer, fault) => {
    const { url, asked } = await standIn(answer);
    const judge = judgeAt(url, { timeoutMs: fault === 'timeout' ? 200 : 5_000 });
    expect(await judge.judge(toQuestion(TURN))).toBeNull();
    expect(judge.faults).toEqual({ [fault]: 1 });
    // A failure is no answer, so it is asked again, and counted again.
    expect(await judge.judge(toQuestion(TURN))).toBeNull();
    expect(asked).toHaveLength(2);
    expect(judge.faults).toEqual({ [fault]: 2 });
  });

  it('does not ask more often than it may, nor where nobody listens', async () => {
    const { url, asked } = await standIn((response) => response.end(openAi(JSON.stringify(GOOD))));
    const judge = judgeAt(url, { callsMax: 1 });
    await judge.judge(toQuestion(TURN));
    expect(await judge.judge(toQuestion({ ...TURN, request: 'And of Spain?' }))).toBeNull();
    expect(asked).toHaveLength(1);
    expect(judge.faults).toEqual({ over_budget: 1 });
    const away = judgeAt('http://127.0.0.1:9/v1');
    expect(await away.judge(toQuestion(TURN))).toBeNull();
    expect(away.faults).toEqual({ unreachable: 1 });
  });

  it('may ask again on another day, for a server lives longer than its budget', async () => {
    const { url, asked } = await standIn((response) => response.end(openAi(JSON.stringify(GOOD))));
    let now = Date.UTC(2026, 10, 15, 23, 59);
    const judge = judgeAt(url, { callsMax: 1, clock: () => now });
    const ask = (request: string) => judge.judge(toQuestion({ ...TURN, request }));
    expect([await ask('one'), await ask('two')]).toEqual([GOOD, null]);
    now += 60_000;
    expect(await ask('three')).toEqual(GOOD);
    expect(asked).toHaveLength(2);
  });

  it('shows calls also of a turn whose answers alone are too long, and knows turns by all of their text', async () => {
    const { url, asked } = await standIn((response) => response.end(openAi(JSON.stringify(GOOD))));
    const judge = judgeAt(url);
    const answer = 'x'.repeat(100_000);
    await judge.judge(toQuestion({ ...TURN, answers: [`${answer}1`] }));
    await judge.judge(toQuestion({ ...TURN, answers: [`${answer}2`] }));
    await judge.judge(toQuestion({ ...TURN, answers: [`${answer}2`] }));
    expect(asked).toHaveLength(2);
    const shown: string = asked[0]?.body.messages[1].content;
    expect(shown).toHaveLength(12_000);
    expect(shown).toContain('What is the capital of France?');
    expect(shown).toContain(
      JSON.stringify({ tool: 'search', input: '{"q":"France"}', output: 'Paris', ok: true }),
    );
  });

  it('shows the endpoint no more of a turn than its bound', async () => {
    const { url, asked } = await standIn((response) => response.end(openAi(JSON.stringify(GOOD))));
    await judgeAt(url).judge(toQuestion({ ...TURN, answers: ['x'.repeat(1_000_000)] }));
    expect(JSON.stringify(asked[0]?.body).length).toBeLessThan(20_000);
  });
});
