import { describe, expect, it } from 'vitest';
import { call, openRelay, POISON, request } from '../support/relay.ts';

const BLOCKED = 'Blocked by the gate injection';

describe('what an agent reads of an answer', () => {
  it.each([
    ['resources/read', { content: [], contents: [{ uri: 'x', text: POISON }] }],
    ['prompts/get', { contents: [], messages: [{ role: 'user', content: { type: 'text', text: POISON } }] }],
    ['prompts/get', { content: [], description: POISON, messages: [] }],
  ])('in %s is not hidden by an empty list before it', async (method, result) => {
    const { client, server } = await openRelay();
    await client(request(1, method));
    expect((await server({ jsonrpc: '2.0', id: 1, result })).toClient).toContain(BLOCKED);
  });

  const BYTES = 'QUJD'.repeat(300_000);
  const WRAPPED = `${'A'.repeat(76)}\r\n`.repeat(15_000);
  const TEXT = { type: 'text', text: POISON };
  it.each([
    ['a picture', { content: [{ type: 'image', mimeType: 'image/png', data: BYTES }, TEXT] }],
    ['a picture in lines', { content: [{ type: 'image', mimeType: 'image/png', data: WRAPPED }, TEXT] }],
    ['a file', { content: [{ type: 'resource', resource: { uri: 'a', blob: BYTES } }, TEXT] }],
    [
      'a picture in a message',
      {
        messages: [
          { role: 'user', content: { type: 'image', mimeType: 'i', data: BYTES } },
          { content: TEXT },
        ],
      },
    ],
    [
      'a file among contents',
      {
        contents: [
          { uri: 'a', blob: BYTES },
          { uri: 'b', text: POISON },
        ],
      },
    ],
  ])('is not hidden by the bytes of %s before it', async (_, result) => {
    const { client, server } = await openRelay();
    await client(call(1));
    expect((await server({ jsonrpc: '2.0', id: 1, result })).toClient).toContain(BLOCKED);
  });

  it('is not hidden by a field that is called like bytes', async () => {
    for (const part of [
      { type: 'text', text: 'x', mimeType: 'text/plain', data: POISON },
      { type: 'text', text: 'x', mimeType: 'text/plain', data: POISON.replaceAll(' ', '\n') },
      JSON.parse(`{"type":"text","text":"x","__proto__":{"text":"${POISON}"}}`),
    ]) {
      const { client, server } = await openRelay();
      await client(call(1));
      const { toClient } = await server({ jsonrpc: '2.0', id: 1, result: { content: [part] } });
      expect(toClient).toContain(BLOCKED);
    }
  });

  it('is judged however deep the answer goes', async () => {
    const { client, server } = await openRelay();
    await client(call(1));
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const { toClient } = await server(
      `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${POISON}"},${deep}]}}`,
    );
    expect(toClient).toContain(BLOCKED);
  });
});
