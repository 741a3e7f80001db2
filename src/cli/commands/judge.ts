import { setTimeout as sleep } from 'node:timers/promises';
import { toVerdictWire } from '../../core/contract/verdict.ts';
import { RenownError } from '../../core/errors.ts';
import { type JudgeRequest, judgeSessions } from '../../service/judge-sessions.ts';
import { Sources } from '../../telemetry/files/sources.ts';
import type { SessionTable } from '../../telemetry/session-table.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import type { Io } from '../io.ts';
import type { ServerSessions } from '../judge/ask-server.ts';
import { cacheFolder, findAgain, findTelemetry } from '../judge/find-telemetry.ts';
import { FORMATS, type Format, printVerdicts } from '../judge/print-verdicts.ts';
import { readMasqueSession } from '../judge/read-masque-session.ts';
import type { VerdictWire } from '../judge/render-card.ts';
import { reportUnread } from '../judge/report-unread.ts';

const FOLLOW_EVERY_MS = 1_000;

export const judge: Command = {
  usage: 'judge [file] [--session <id> | --last | --all] [options]',
  arguments: [
    {
      name: '[file]',
      summary:
        'Telemetry or transcripts: a file, a folder, a pattern, - for standard input; found when absent, at a running server first',
    },
  ],
  options: [
    { name: 'session', type: 'string', summary: 'The session of this id' },
    { name: 'last', type: 'boolean', summary: 'The session with the latest event, as without this option' },
    { name: 'all', type: 'boolean', summary: 'Every session' },
    {
      name: 'masque',
      type: 'string',
      summary: 'The masque that was worn; of two in one session, the one to judge',
    },
    {
      name: 'masque-file',
      type: 'string',
      summary: 'Who wore what when; .claude/masque.session.yaml when absent',
    },
    { name: 'from', type: 'string', summary: 'Only from this time on, as 2026-11-15T09:00:00Z' },
    { name: 'to', type: 'string', summary: 'Only up to this time' },
    { name: 'format', type: 'string', summary: `${FORMATS.join(', ')}; a table on a terminal, else yaml` },
    { name: 'follow', type: 'boolean', summary: 'Go on, and judge again whenever something new is written' },
    { name: 'no-cache', type: 'boolean', summary: 'Read everything again, and remember nothing' },
  ],
  examples: [
    { says: 'the newest session on this machine', line: 'renown judge' },
    {
      says: "every session in a collector's files, for a program",
      line: 'renown judge logs/ --all --format json',
    },
    {
      says: 'one hour of a session',
      line: 'renown judge logs.jsonl --session 4f1c --from 2026-11-15T09:00:00Z --to 2026-11-15T10:00:00Z',
    },
  ],
  async run(input, io) {
    const { options, positionals } = input;
    const request = await toRequest(input);
    const format = toFormat(input, io);
    const server = positionals[0] === undefined ? await findServer(input, io) : null;
    const served = (await server?.verdicts(request)) ?? [];
    if (server && served.length > 0) {
      io.stderr.write(`Asking ${server.place}.\n`);
      await printVerdicts(served, { format, isList: options.all === true, io });
      if (options.follow) await followServer(server, { request, format, served, io });
      return;
    }
    const { which } = request;
    const telemetry = findTelemetry(positionals[0], io, {
      looked: server ? [server.place] : [],
      sought: typeof which === 'object' ? `session "${which.session}"` : 'telemetry',
    });
    const sources = new Sources(telemetry.files, {
      cacheFolder: options['no-cache'] ? null : cacheFolder(io.env),
      isFollowed: options.follow === true,
    });
    await sources.read(io.stdin);
    let read = sources.all;
    reportUnread(read, io);
    let hasPrinted = false;
    for (;;) {
      const mayCome = options.follow === true && !sources.isOver;
      const verdicts = judgeNow(read.table, request, mayCome);
      if (verdicts.length === 0 && !mayCome) {
        throw new RenownError('not_found', `There is no session in ${positionals[0] ?? 'what was found'}.`);
      }
      if (verdicts.length > 0) {
        if (hasPrinted && format === 'yaml') io.stdout.write('---\n');
        await printVerdicts(verdicts, { format, isList: options.all === true, io });
        hasPrinted = true;
      }
      if (!options.follow) return;
      do {
        if (sources.isOver) return;
        await sleep(FOLLOW_EVERY_MS);
        sources.include(findAgain(telemetry));
      } while (!(await sources.read(io.stdin)));
      read = sources.all;
    }
  },
};

/** While more may come, a session that is not there is only not there yet. */
function judgeNow(table: SessionTable, request: JudgeRequest, mayCome: boolean): VerdictWire[] {
  try {
    return judgeSessions(table, request).map(toVerdictWire) as VerdictWire[];
  } catch (error) {
    if (mayCome && error instanceof RenownError && error.code === 'not_found') return [];
    throw error;
  }
}

/** Loaded only when there is nothing to read: the way to a server is four fifths of all that this command could load. */
async function findServer(input: CommandInput, io: Io): Promise<ServerSessions | null> {
  const { findServerSessions } = await import('../judge/ask-server.ts');
  return findServerSessions(input, io);
}

/** Judges again and again, and prints what has changed. */
async function followServer(
  server: ServerSessions,
  { request, format, served, io }: { request: JudgeRequest; format: Format; served: VerdictWire[]; io: Io },
): Promise<never> {
  for (let before = JSON.stringify(served); ; ) {
    await sleep(FOLLOW_EVERY_MS);
    const verdicts = await server.verdicts(request);
    const now = JSON.stringify(verdicts);
    if (now === before) continue;
    before = now;
    if (format === 'yaml') io.stdout.write('---\n');
    await printVerdicts(verdicts, { format, isList: request.which === 'all', io });
  }
}

async function toRequest({ options }: CommandInput): Promise<JudgeRequest> {
  const { session, last, all } = options;
  if ([session, last, all].filter(Boolean).length > 1) {
    throw usageError('Only one of --session, --last and --all can be meant', 'judge');
  }
  const from = toTime(options.from, '--from', Number.NEGATIVE_INFINITY);
  const to = toTime(options.to, '--to', Number.POSITIVE_INFINITY);
  const isCut = options.from !== undefined || options.to !== undefined;
  return {
    which: typeof session === 'string' ? { session } : all ? 'all' : 'last',
    masque: textOf(options.masque),
    masqueSession: await readMasqueSession(textOf(options['masque-file'])),
    window: isCut ? { from, to } : undefined,
  };
}

function toFormat({ options }: CommandInput, io: Io): Format {
  if (options.json) return 'json';
  const format = options.format ?? (io.stdout.isTTY ? 'table' : 'yaml');
  const known = FORMATS.find((name) => name === format);
  if (!known) throw usageError(`There is no format "${format}"; there are ${FORMATS.join(', ')}`, 'judge');
  return known;
}

function toTime(value: string | boolean | undefined, name: string, absent: number): number {
  if (value === undefined) return absent;
  const time = Date.parse(String(value));
  if (Number.isNaN(time))
    throw usageError(`${name} "${value}" is no time such as 2026-11-15T09:00:00Z`, 'judge');
  return time;
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
