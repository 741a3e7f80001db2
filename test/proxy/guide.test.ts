/** The command lines of docs/guides/mcp-proxy.md, run as they are written there. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { newHome } from '../support/mcp.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = readFileSync(join(ROOT, 'docs/guides/mcp-proxy.md'), 'utf8');

const configured = JSON.parse(/```json\n([\s\S]*?)```/.exec(GUIDE)?.[1] ?? '').mcpServers.filesystem;
const written = /^npx -y renown proxy .*$/m.exec(GUIDE)?.[0] ?? '';
const added = /^claude mcp add --transport stdio filesystem -- (.*)$/m.exec(GUIDE)?.[1] ?? '';

describe('the guide to the proxy', () => {
  it('says the same command line everywhere', () => {
    expect([configured.command, ...configured.args].join(' ')).toBe(written);
    expect(added).toBe(written);
  });

  it('has a command line that works', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'renown-guide-'));
    writeFileSync(join(folder, 'note.txt'), 'A note.');
    const [command = '', ...args] = written.replace('/path/to/folder', folder).split(' ');
    const client = new Client({ name: 'guide', version: '1.0.0' });
    const env = { ...(process.env as Record<string, string>), HOME: newHome() };
    await client.connect(new StdioClientTransport({ command, args, cwd: ROOT, env, stderr: 'ignore' }));
    const read = (path: string) => client.callTool({ name: 'read_text_file', arguments: { path } });
    expect(await read(join(folder, 'note.txt'))).toMatchObject({ content: [{ text: 'A note.' }] });
    await expect(read('~/.ssh/id_rsa')).rejects.toMatchObject({ data: { gate: 'filesystem' } });
    await client.close();
  }, 60_000);
});
