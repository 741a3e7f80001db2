/** Every example runs as it is written; those that need a server get a real one. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from './support/describe-with.ts';
import { startServer, type TestServer } from './support/server.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('the examples in Node', () => {
  it('gates a function', async () => {
    expect(await run(process.execPath, 'examples/gate-a-function.js')).toBe(
      'How do I clean up? -> blocked by filesystem: A command that deletes recursively by force.\n' +
        'Whom do I ask? -> Write to support@acme.com.\n',
    );
  });

  it('watches an MCP server', async () => {
    expect(await run(process.execPath, 'examples/watch-an-mcp-server.js')).toBe(
      'notes.txt was written\nBlocked by the gate filesystem: A command that deletes recursively by force.\n',
    );
  });
});

describeWith(
  { name: 'curl', probe: ['curl', '--version'], install: 'apt-get install curl' },
  'the example with curl',
  () => {
    it('evaluates and reads', async () => {
      const [verdict, standing] = (await run('bash', 'examples/post-from-curl.sh'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(verdict).toMatchObject({ passed: true, reputation: { eval_count: 1 } });
      expect(standing).toMatchObject({ agent_id: 'curl-example', eval_count: 1 });
    });
  },
);

describeWith(
  { name: 'python3', probe: ['python3', '--version'], install: 'apt-get install python3' },
  'Python',
  () => {
    it('evaluates, ingests and reads', async () => {
      expect(await run('python3', 'examples/post-from-python.py')).toBe(
        'blocked by filesystem: A command that deletes recursively by force.\n3 of 4 passed\n',
      );
    });

    it('has a client that retries, signs, and says what the server refused', async () => {
      await expect(run('python3', '-m', 'unittest', 'discover', '-s', 'clients/python')).resolves.toBe('');
    });
  },
);

async function run(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      RENOWN_URL: server.url,
      RENOWN_KEY: server.pk,
      HOME: mkdtempSync(join(tmpdir(), 'renown-home-')),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  return stdout;
}
