import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkAgentId } from '../../core/ids.ts';
import { Issues } from '../../core/issues.ts';
import type { Decision } from '../../proxy/decision.ts';
import { openDecisionLog } from '../../proxy/decision-log.ts';
import { openDirections } from '../../proxy/direction-engines.ts';
import { Relay } from '../../proxy/relay.ts';
import { runServer } from '../../proxy/stdio.ts';
import { Renown } from '../../sdk/renown.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { GATES_OPTION, openGates } from '../gates-option.ts';
import type { Io } from '../io.ts';

/** How long verdicts have to reach the server once the MCP server has ended. */
const CLOSE_MS = 1000;

export const proxy: Command = {
  usage: 'proxy [options] -- <server command…>',
  arguments: [{ name: '<server command…>', summary: 'The MCP server to start, with its arguments' }],
  variadic: true,
  options: [
    {
      name: 'agent-id',
      type: 'string',
      summary: 'Whose verdicts these are; client/server by their own names without it',
    },
    { name: 'url', type: 'string', summary: 'A Renown server to report verdicts to; RENOWN_URL without it' },
    {
      name: 'key',
      type: 'string',
      summary: 'A key of its org; RENOWN_KEY without it, which no process list shows',
    },
    GATES_OPTION,
    { name: 'dry-run', type: 'boolean', summary: 'Judge and log, and block and report nothing' },
    { name: 'verbose', type: 'boolean', summary: 'Say every decision on standard error' },
  ],
  examples: [
    {
      says: 'between an MCP client and the file system server',
      line: 'renown proxy -- npx -y @modelcontextprotocol/server-filesystem ~/projects',
    },
    { says: 'see what would be blocked', line: 'renown proxy --dry-run --verbose -- node server.js' },
  ],
  async run(input, io) {
    const [command, ...args] = input.positionals;
    if (command === undefined) throw usageError('Say which server to start, behind --', 'proxy');
    const agentId = agentIdOf(input);
    const { suite } = await openGates(input.options.gates);
    const dryRun = input.options['dry-run'] === true;
    const say = (text: string) => io.stderr.write(`renown: ${text}\n`);
    const log = openDecisionLog(join(homedir(), '.renown', 'logs'), { now: Date.now, warn: say });
    const renown = dryRun ? undefined : reporterOf(input, io, say);
    const relay = new Relay({
      ...(await openDirections(suite)),
      agentId,
      dryRun,
      elapsed: () => performance.now(),
      record(decision) {
        log.decision(decision, dryRun);
        renown?.track(decision.evaluation, {
          source: 'proxy',
          direction: decision.direction,
          latency_ms: decision.latencyMs,
        });
        if (input.options.verbose) say(describe(decision, dryRun));
      },
      note(note) {
        log.note(note);
        if (input.options.verbose) say(`A line of the ${note.side} is not JSON; it went on as it is.`);
      },
    });
    try {
      const { code, signal } = await runServer([command, ...args], relay, {
        input: process.stdin,
        output: process.stdout,
      });
      if (relay.unanswered > 0) log.note({ note: 'unanswered', count: relay.unanswered });
      await Promise.all([log.close(), renown?.close({ timeoutMs: CLOSE_MS })]);
      // Whoever waits for us sees what it would have seen without us.
      if (signal) process.kill(process.pid, signal);
      return code ?? 1;
    } finally {
      await log.close();
    }
  },
};

function agentIdOf({ options }: CommandInput): string | undefined {
  const agentId = options['agent-id'];
  if (agentId === undefined) return undefined;
  const issues = new Issues();
  checkAgentId(agentId, '--agent-id', issues);
  issues.throwIfAny();
  return String(agentId);
}

/** Reports in the background where there is a key; a server that is away slows nothing. */
function reporterOf({ options }: CommandInput, { env }: Io, say: (text: string) => void): Renown | undefined {
  const url = options.url ?? env.RENOWN_URL;
  const key = options.key ?? env.RENOWN_KEY;
  if (url === undefined && key === undefined) return undefined;
  if (url === undefined || key === undefined)
    throw usageError('Give both --url and --key, or neither', 'proxy');
  return new Renown({
    url: String(url),
    key: String(key),
    flushMs: 1000,
    onDrop: ({ count, reason }) => say(`${count} verdicts did not reach the server (${reason}).`),
  });
}

function describe({ evaluation, direction }: Decision, dryRun: boolean): string {
  const { agent_id, tool, passed, gates } = evaluation;
  const who = `${agent_id} · ${tool}`;
  if (passed) return `${who}: passed`;
  const failed = gates.find((gate) => !gate.passed && gate.outcome !== 'aborted');
  return `${who}: ${dryRun ? 'would be blocked' : 'blocked'} (${direction}) by ${failed?.name}: ${failed?.reason}`;
}
