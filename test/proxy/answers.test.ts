import { describe, expect, it } from 'vitest';
import { answer, call, openRelay, POISON, request } from '../support/relay.ts';

const BLOCKED = 'Blocked by the gate injection';

describe('an answer is found again and judged', () => {
  it.each(['1', '1.0', ' 1 ', '0x1', null, true, 'nobody'])(
    'although its id is %j where 1 was asked: clients take some of these for 1',
    async (id) => {
      const { client, server } = await openRelay();
      await client(call(1));
      expect((await server(answer(id, POISON))).toClient).toContain(BLOCKED);
    },
  );

  it('under the name of its tool, and is finished with', async () => {
    const { relay, client, server, decisions } = await openRelay();
    await client(call(1));
    const { toClient } = await server(answer('1', POISON));
    expect(toClient).toContain('"id":"1"');
    expect(decisions).toMatchObject([{ direction: 'response', evaluation: { tool: 't', passed: false } }]);
    expect(relay.unanswered).toBe(0);
  });

  it('apart from one whose id is the same in the other type', async () => {
    const { client, server, decisions } = await openRelay();
    await client([call('1'), request(1, 'ping'), call(2), request('2', 'ping')]);
    const { toClient } = await server([
      { jsonrpc: '2.0', id: '2', result: {} },
      answer(2, POISON),
      { jsonrpc: '2.0', id: 1, result: {} },
      answer('1', 'fine'),
    ]);
    expect(JSON.parse(toClient ?? '')).toMatchObject([
      { id: '2', result: {} },
      { id: 2, error: { message: expect.stringContaining(BLOCKED) } },
      { id: 1, result: {} },
      { id: '1', result: { content: [{ text: 'fine' }] } },
    ]);
    expect(decisions.map(({ evaluation }) => evaluation.passed)).toEqual([false, true]);
  });

  it.each([
    ['a method that is none', { method: null }],
    ['a method beside the result', { method: 'notifications/message' }],
    ['an error beside the result', { result: {}, error: { code: 1, message: POISON } }],
  ])('with %s', async (_, extra) => {
    const { client, server } = await openRelay();
    await client(call(1));
    expect((await server({ ...answer(1, POISON), ...extra })).toClient).toContain(BLOCKED);
  });

  it('when another one came before it, which the client may not have taken for an answer', async () => {
    const { client, server } = await openRelay();
    await client(call(1));
    await server({ id: 1, result: { content: [{ type: 'text', text: 'fine' }] } });
    await server({ id: 1 });
    expect((await server(answer(1, POISON))).toClient).toContain(BLOCKED);
  });

  it('unless it answers what no gate looks at', async () => {
    const suite = { gates: [{ schema: { schema: { required: ['content'] } } }, 'injection'] };
    const { client, server, decisions } = await openRelay({ suite });
    await client([call(1), request(2, 'tools/list')]);
    const list = '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}';
    expect((await server(list)).toClient).toBe(`${list}\n`);
    expect(decisions).toEqual([]);
  });

  it('once in a dry run, although its call would have been blocked', async () => {
    const { client, server, decisions } = await openRelay({ dryRun: true });
    await client(call(1, { command: 'rm -rf /' }));
    await server(answer(1, POISON));
    expect(decisions).toMatchObject([{ direction: 'request' }]);
  });
});
