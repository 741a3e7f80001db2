import { describe, expect, it } from 'vitest';
import { answer, call, openRelay } from '../support/relay.ts';

describe('an empty answer of a tool', () => {
  const judge = async (result: object) => {
    const { client, server } = await openRelay();
    await client(call(1));
    return (await server({ jsonrpc: '2.0', id: 1, result })).toClient;
  };

  it.each([
    { content: [] },
    { content: [{ type: 'text', text: ' \n' }] },
    { content: [], isError: false },
    {},
  ])('is %j', async (result) => {
    expect(await judge(result)).toContain('Blocked by the gate content');
  });

  it.each([
    { content: [{ type: 'text', text: '0' }] },
    { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
    { content: [], structuredContent: { rows: 0 } },
    { content: [{ type: 'resource_link', uri: 'a://b', name: 'b' }] },
    { resultType: 'input_required', inputRequests: {} },
  ])('is not %j', async (result) => {
    expect(await judge(result)).toContain('result');
  });
});

describe('gates that look at one direction only', () => {
  const INPUT = {
    schema: { target: 'input', schema: { required: ['path'], properties: { path: { type: 'string' } } } },
  };

  it.each([[{ path: 5 }], [{}], [undefined]])(
    'a schema of the input stops %j before the server',
    async (args) => {
      const { client } = await openRelay({ suite: { gates: [INPUT] } });
      const { toServer, toClient } = await client({ ...call(1), params: { name: 't', arguments: args } });
      expect(toServer).toBeUndefined();
      expect(JSON.parse(toClient ?? '')).toMatchObject({
        error: { data: { gate: 'schema', direction: 'request' } },
      });
    },
  );

  it('a schema of the input that holds is one passed gate of the evaluation', async () => {
    const { client, server, decisions } = await openRelay({ suite: { gates: [INPUT] } });
    await client(call(1));
    await server(answer(1, 'fine'));
    expect(decisions).toMatchObject([
      { evaluation: { passed: true, gates: [{ name: 'schema', outcome: 'passed' }] } },
    ]);
  });

  it('allowed patterns are looked for in answers, denied ones in both', async () => {
    const suite = { gates: [{ pattern: { allow: ['OK'], deny: ['forbidden'] } }] };
    const { client, server } = await openRelay({ suite });
    expect((await client(call(1, { text: 'forbidden' }))).toClient).toContain('Blocked by the gate pattern');
    expect((await client(call(2))).toServer).toBeDefined();
    expect((await server(answer(2, 'OK'))).toClient).toContain('OK');
    await client(call(3));
    expect((await server(answer(3, 'no'))).toClient).toContain('Blocked by the gate pattern');
  });

  it('a suite of allowed patterns alone stops no call', async () => {
    const { client, server } = await openRelay({ suite: { gates: [{ pattern: { allow: ['OK'] } }] } });
    expect((await client(call(1))).toServer).toBeDefined();
    expect((await server(answer(1, 'no'))).toClient).toContain('Blocked by the gate pattern');
  });
});
