import { describe, expect, it } from 'vitest';
import { answer, call, openRelay, POISON } from '../support/relay.ts';

const DESTRUCTIVE =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"c":"rm -rf /"}}}';

describe('a batch of which something is blocked', () => {
  it.each([
    ['numbers', '{"jsonrpc":"2.0","id":12345678901234567890,"method":"x","params":{"n":1.0,"m":1e400}}'],
    [
      'spaces, escapes and fields given twice',
      ' { "a" : "\\u0041,]}\\"" , "a" : [ { } , "," ] , "method":"x"} ',
    ],
    ['depth', `{"jsonrpc":"2.0","id":2,"method":"x","params":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ])('keeps the bytes of the others: %s', async (_, other) => {
    const asked = await openRelay();
    const { toServer, toClient } = await asked.client(`[${other},${DESTRUCTIVE},${other}]`);
    expect(toServer).toBe(`[${other},${other}]\n`);
    expect(JSON.parse(toClient ?? '')).toMatchObject([{ id: 1, error: { code: -32000 } }]);

    const answered = await openRelay();
    await answered.client(call(1));
    const { toClient: line } = await answered.server(
      `[${other},${JSON.stringify(answer(1, POISON))},${other}]`,
    );
    expect(line?.startsWith(`[${other},{"jsonrpc":"2.0","id":1,"error":`)).toBe(true);
    expect(line?.endsWith(`},${other}]\n`)).toBe(true);
  });

  it.each(['12345678901234567890', '1.0', '"\\u0061"', '-0'])(
    'is answered with the id %s as it was',
    async (id) => {
      const asked = await openRelay();
      const spelt = DESTRUCTIVE.replace('"id":1', `"id":7,"\\u0069d": ${id} `);
      expect((await asked.client(spelt)).toClient).toMatch(idOf(id));

      const answered = await openRelay();
      await answered.client(DESTRUCTIVE.replace('rm -rf /', 'ls').replace('"id":1', `"id":${id}`));
      const { toClient } = await answered.server(`{"id":${id},"result":{"content":[{"text":"${POISON}"}]}}`);
      expect(toClient).toMatch(idOf(id));
    },
  );

  it('hands on bytes that are no UTF-8 as they came', async () => {
    const { relay } = await openRelay();
    const other = Buffer.from([...Buffer.from('{"method":"x","a":"'), 0xe2, 0xff, ...Buffer.from('"}')]);
    const line = Buffer.concat([Buffer.from(`[${DESTRUCTIVE},`), other, Buffer.from(']\n')]);
    const { toServer } = await relay.fromClient(line);
    expect(Buffer.from(toServer ?? [])).toEqual(Buffer.concat([Buffer.from('['), other, Buffer.from(']\n')]));
  });

  it('says nothing to the server when nothing is left, and passes an empty one on', async () => {
    const { client } = await openRelay();
    expect((await client(`[${DESTRUCTIVE}]`)).toServer).toBeUndefined();
    expect((await client('[ ]')).toServer).toBe('[ ]\n');
  });
});

function idOf(id: string): RegExp {
  return new RegExp(`^\\{"jsonrpc":"2\\.0","id": ?${id.replace(/[\\.]/g, '\\$&')} ?,"error":`);
}
