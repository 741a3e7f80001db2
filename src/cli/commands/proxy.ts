import { homedir } from 'node:os';
import { join } from 'node:path';
import { RenownError } from '../../core/errors.ts';
import { checkAgentId } from '../../core/ids.ts';
import { Issues } from '../../core/issues.ts';
import type { Decision } from '../../proxy/decision.ts';
import { openDecisionLog } from '../../proxy/decision-log.ts';
import { openDirections } from '../../proxy/direction-engines.ts';
import { parsePermissions } from '../../proxy/permission-file.ts';
import { Permissions } from '../../proxy/permissions.ts';
import { Relay, type RelayNote } from '../../proxy/relay.ts';
import { createScoreCache } from '../../proxy/score-cache.ts';
import { runServer } from '../../proxy/stdio.ts';
import { Renown } from '../../sdk/renown.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { readConfigurationFile } from '../configuration-file.ts';
import { GATES_OPTION, openGates } from '../gates-option.ts';
import type { Io } from '../io.ts';
import { addressOf, type Named, namedServer } from '../named-server.ts';

/** How long verdicts have to reach the server once the MCP server has ended. */
const CLOSE_MS = 1000;
/** How long a tool call waits for a score. */
const SCORE_MS = 2000;
/** How often the server is asked for a score while it is away and the last one still counts. */
const SCORE_RETRY_MS = 10_000;

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
    {
      name: 'permissions',
      type: 'string',
      summary: 'A file that says which tools need which reputation; needs --url and --key',
    },
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
      permissions: await openPermissions(input, io),
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
        if (note.note === 'permission' && note.action === 'warn') say(note.reason);
        else if (input.options.verbose) say(describeNote(note));
      },
    });
    const { code, signal } = await runServer([command, ...args], relay, {
      input: process.stdin,
      output: process.stdout,
    }).finally(async () => {
      if (relay.unanswered > 0) log.note({ note: 'unanswered', count: relay.unanswered });
      await Promise.all([log.close(), renown?.close({ timeoutMs: CLOSE_MS })]);
    });
    // Whoever waits for us sees what it would have seen without us.
    if (signal) process.kill(process.pid, signal);
    return code ?? 1;
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
function reporterOf(input: CommandInput, io: Io, say: (text: string) => void): Renown | undefined {
  const { url, key } = namedServer(input, io);
  if (!url || !key) {
    if (url) tellOfHalf(url, 'key', say);
    if (key) tellOfHalf(key, 'url', say);
    return undefined;
  }
  return new Renown({
    url: addressOf(url, 'proxy'),
    key: key.value,
    flushMs: 1000,
    onDrop: ({ count, reason }) => say(`${count} verdicts did not reach the server (${reason}).`),
  });
}

/** Half of what it takes is a mistake on a command line; in the environment it may be there for another command. */
function tellOfHalf(half: Named, missing: 'url' | 'key', say: (text: string) => void): void {
  const names = [`--${missing}`, `RENOWN_${missing.toUpperCase()}`];
  if (half.isOption)
    throw usageError(`${half.from} is not enough to report verdicts; add ${names.join(' or ')}`, 'proxy');
  say(`Verdicts are not reported: ${half.from} is set, and neither ${names.join(' nor ')} is.`);
}

/** Asks by itself and without retries: a tool call waits for it. */
async function openPermissions(input: CommandInput, io: Io): Promise<Permissions | null> {
  const { permissions: file } = input.options;
  if (typeof file !== 'string') return null;
  const { url, key } = namedServer(input, io);
  if (!url || !key) throw usageError('--permissions needs a server to ask, with --url and --key', 'proxy');
  const address = addressOf(url, 'proxy');
  const { freshMs, staleMs, ...rest } = parsePermissions(await readConfigurationFile(file));
  const read = async (agentId: string): Promise<number> => {
    const answer = await fetch(`${address}/v1/reputation/${encodeURIComponent(agentId)}`, {
      headers: { authorization: `Bearer ${key.value}` },
      signal: AbortSignal.timeout(SCORE_MS),
    });
    if (!answer.ok) throw new RenownError('server_unavailable', `The server answered ${answer.status}.`);
    const { assurance } = (await answer.json()) as { assurance: { score_low: number } };
    return assurance.score_low;
  };
  const elapsed = () => performance.now();
  const scoreLow = createScoreCache({ read, elapsed, freshMs, staleMs, retryMs: SCORE_RETRY_MS });
  return new Permissions({ ...rest, scoreLow });
}

function describeNote(note: RelayNote): string {
  if (note.note === 'permission') return `${note.action}: ${note.reason}`;
  return `A line of the ${note.side} is not JSON; it went on as it is.`;
}

function describe({ evaluation, direction }: Decision, dryRun: boolean): string {
  const { agent_id, tool, passed, gates } = evaluation;
  const who = `${agent_id} · ${tool}`;
  if (passed) return `${who}: passed`;
  const failed = gates.find((gate) => !gate.passed && gate.outcome !== 'aborted');
  return `${who}: ${dryRun ? 'would be blocked' : 'blocked'} (${direction}) by ${failed?.name}: ${failed?.reason}`;
}
