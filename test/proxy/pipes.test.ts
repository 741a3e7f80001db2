import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { runServer } from '../../src/proxy/stdio.ts';
import { newHome, outcomeOf, SCRIPTED_SERVER, startProxy } from '../support/mcp.ts';
import { openRelay } from '../support/relay.ts';

const start = (behaviour: string) => startProxy({ home: newHome(), server: [...SCRIPTED_SERVER, behaviour] });

describe('a reader that is slower than the server', () => {
  it('gets everything, and nobody complains of listeners', async () => {
    const proxy = start('flood');
    const outcome = outcomeOf(proxy);
    proxy.stdin.end();
    const { stdout, stderr, code } = await outcome;
    expect(stdout.trim().split('\n')).toHaveLength(60);
    expect(stderr).toBe('ready\n');
    expect(code).toBe(0);
  });
});

describe('a message beyond the bound', () => {
  const TOO_LARGE = `is larger than ${LIMITS.proxyMessageBytesMax} bytes`;

  it.each(['answer', 'stubborn'])(
    'of the client ends the proxy, which says why (server: %s)',
    async (behaviour) => {
      const proxy = start(behaviour);
      const outcome = outcomeOf(proxy);
      proxy.stdin.on('error', () => undefined);
      await once(proxy.stderr, 'data');
      proxy.stdin.write(Buffer.alloc(LIMITS.proxyMessageBytesMax + 1, 'x'));
      const { stderr, code, signal } = await outcome;
      expect(stderr).toContain(`A message of the client ${TOO_LARGE}`);
      expect({ code, signal }).toEqual({ code: 4, signal: null });
    },
  );

  it('of the server does so too', async () => {
    const { stderr, code } = await outcomeOf(start('huge'));
    expect(stderr).toContain(`A message of the server ${TOO_LARGE}`);
    expect(code).toBe(4);
  });
});

describe('a process that the server leaves behind, with its output open', () => {
  it('does not keep the proxy, which hands the exit code on', async () => {
    const proxy = start('leave behind');
    const outcome = outcomeOf(proxy);
    await once(proxy.stderr, 'data');
    const since = performance.now();
    expect((await outcome).code).toBe(4);
    expect(performance.now() - since).toBeLessThan(5000);
  });

  it('costs a slow client nothing of what the server had said', async () => {
    const { relay } = await openRelay();
    const got: string[] = [];
    const output = new Writable({
      highWaterMark: 1,
      write: (chunk, _, done) => {
        got.push(String(chunk));
        setTimeout(done, 300);
      },
    });
    const command = [...SCRIPTED_SERVER, 'leave behind'] as unknown as [string, ...string[]];
    const end = await runServer(command, relay, { input: new PassThrough(), output });
    expect(end).toEqual({ code: 4, signal: null });
    expect(got.join('').trim().split('\n')).toHaveLength(12);
  });
});
