import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { packageVersion } from '../../package/package-version.ts';
import type { Command } from '../command.ts';
import { createMcpTools } from '../mcp-tools.ts';
import { API_OPTIONS, withApi } from '../with-api.ts';

export const mcp: Command = {
  usage: 'mcp [--url <value> --key <value>]',
  arguments: [],
  options: API_OPTIONS,
  examples: [
    {
      says: 'let an MCP client ask for reputations',
      line: 'claude mcp add renown -- renown mcp --url https://renown.example.com',
    },
  ],
  async run(input, io) {
    const version = await packageVersion();
    await withApi(input, io, async (api) => {
      serveStdio(() => createMcpTools(api, version));
      // The client ends it by closing the pipe.
      await once(io.stdin, 'end');
    });
  },
};
