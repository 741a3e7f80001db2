// Call a tool of an MCP server through the proxy, and see what it blocks.
//   node examples/watch-an-mcp-server.js
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const folder = mkdtempSync(join(tmpdir(), 'renown-example-'));
const renown = fileURLToPath(new URL('../bin/renown.js', import.meta.url));
const server = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [renown, 'proxy', '--', process.execPath, server, folder],
    env: /** @type {Record<string, string>} */ ({ ...process.env }),
    stderr: 'inherit',
  }),
);

const write = (/** @type {string} */ path, /** @type {string} */ content) =>
  client.callTool({ name: 'write_file', arguments: { path, content } });

await write(join(folder, 'notes.txt'), 'Water the plants.');
console.log('notes.txt was written');
try {
  await write(join(folder, 'clean.sh'), 'rm -rf ~');
} catch (error) {
  console.log(/** @type {Error} */ (error).message);
}
await client.close();
