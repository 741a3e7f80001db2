import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { answer, call, openRelay, POISON, request } from '../support/relay.ts';

const cancel = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

describe('a call that the client has cancelled', () => {
  it('is waited for no longer', async () => {
    const { relay, client } = await openRelay();
    for (let id = 0; id < 1000; id++) await client([call(id), cancel(id)]);
    expect(relay.unanswered).toBe(0);
  });

  it('has its late answer judged under its name', async () => {
    const { client, server, decisions } = await openRelay();
    await client(call(1));
    await client(cancel(1));
    expect((await server(answer(1, POISON))).toClient).toContain('Blocked by the gate injection');
    expect(decisions).toMatchObject([{ evaluation: { tool: 't' } }]);
  });

  it('is forgotten when many more were cancelled since, and judged as an answer to nobody', async () => {
    const { client, server, decisions } = await openRelay();
    for (let id = 0; id <= LIMITS.proxyRememberedMax; id++) await client([call(id), cancel(id)]);
    expect((await server(answer(0, POISON))).toClient).toContain('Blocked by the gate injection');
    expect((await server(answer(1, POISON))).toClient).toContain('Blocked by the gate injection');
    expect(decisions.map(({ evaluation }) => evaluation.tool)).toEqual(['unknown', 't']);
  });

  it('leaves the others alone', async () => {
    const { relay, client, server } = await openRelay();
    await client([call(1), call('2')]);
    await client([cancel(2), cancel(undefined), cancel({})]);
    expect(relay.unanswered).toBe(2);
    expect((await server(answer('2', 'fine'))).toClient).toContain('fine');
  });
});

describe('requests that the server does not answer', () => {
  it('are refused beyond a bound, with a reason', async () => {
    const { client } = await openRelay({ suite: { gates: ['injection'] } });
    const many = Array.from({ length: LIMITS.proxyPendingMax }, (_, id) => call(id));
    await client(many);
    expect(JSON.parse((await client(call('x'))).toClient ?? '')).toMatchObject({
      id: 'x',
      error: { code: -32000, message: expect.stringContaining('Too many') },
    });
  });
});

describe('a call that is started as a task', () => {
  const START = { ...call(1), params: { name: 't', arguments: {}, task: { ttl: 1 } } };
  const OLD = { id: 1, result: { task: { taskId: 'q', status: 'working' } } };
  const NEW = { id: 1, result: { resultType: 'task', taskId: 'q', status: 'working' } };
  const RESULT = { content: [{ type: 'text', text: 'mail jane@corp.com' }] };

  it.each([
    ['tasks/result', OLD, RESULT],
    ['tasks/get', NEW, { taskId: 'q', status: 'completed', result: RESULT }],
  ])('is one evaluation, finished with %s', async (method, started, result) => {
    const { client, server, decisions, wait } = await openRelay();
    await client(START);
    wait(5);
    expect((await server(started)).toClient).toContain('working');
    wait(1000);
    expect(decisions).toEqual([]);
    await client(request(2, method, { taskId: 'q' }));
    wait(7);
    expect((await server({ id: 2, result })).toClient).toContain('Blocked by the gate pii');
    expect(decisions).toMatchObject([
      { direction: 'response', latencyMs: 12, evaluation: { tool: 't', passed: false } },
    ]);
  });

  it('is not finished by a look at how it stands', async () => {
    const { client, server, decisions } = await openRelay();
    await client(START);
    await server(NEW);
    await client(request(2, 'tasks/get', { taskId: 'q' }));
    await server({ id: 2, result: { taskId: 'q', status: 'working' } });
    expect(decisions).toEqual([]);
    await client(request(3, 'tasks/get', { taskId: 'q' }));
    await server({ id: 3, result: { taskId: 'q', status: 'completed', result: answer(0, 'done').result } });
    expect(decisions).toMatchObject([{ direction: null, evaluation: { tool: 't', passed: true } }]);
  });

  it.each([
    ['its start', { id: 1, result: { task: { taskId: 'q', statusMessage: POISON } } }],
    ['a look at how it stands', { id: 2, result: { taskId: 'q', statusMessage: POISON } }],
  ])('is finished with what is blocked: %s', async (_, message) => {
    const { client, server, decisions } = await openRelay();
    await client(START);
    if (message.id === 2) await server(OLD);
    await client(request(2, 'tasks/get', { taskId: 'q' }));
    expect((await server(message)).toClient).toContain('Blocked by the gate injection');
    expect(decisions).toMatchObject([{ direction: 'response', evaluation: { tool: 't', passed: false } }]);
  });

  it('is judged by what its result has to be, and its start is not', async () => {
    const suite = { gates: [{ pattern: { allow: ['OK'] } }, { latency: { max_ms: 10 } }] };
    const { client, server, decisions } = await openRelay({ suite });
    await client(START);
    expect((await server(OLD)).toClient).toContain('working');
    await client(request(2, 'tasks/result', { taskId: 'q' }));
    expect((await server(answer(2, 'no'))).toClient).toContain('Blocked by the gate pattern');
    expect(decisions).toHaveLength(1);
  });

  it('is judged although nobody remembers it, and recorded when it is blocked', async () => {
    const { client, server, decisions } = await openRelay();
    await client([request(1, 'tasks/result', { taskId: 'x' }), request(2, 'tasks/get', { taskId: 'x' })]);
    expect((await server({ id: 1, result: RESULT })).toClient).toContain('Blocked by the gate pii');
    expect((await server({ id: 2, result: { status: 'completed', result: RESULT } })).toClient).toContain(
      'Blocked by the gate pii',
    );
    expect(decisions).toHaveLength(2);
  });
});
