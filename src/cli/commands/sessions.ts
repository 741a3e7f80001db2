import { toVerdictWire } from '../../core/contract/verdict.ts';
import { judgeSessions } from '../../service/judge-sessions.ts';
import { Sources } from '../../telemetry/files/sources.ts';
import type { Command, CommandInput } from '../command.ts';
import type { Io } from '../io.ts';
import { findServerSessions } from '../judge/ask-server.ts';
import { cacheFolder, findTelemetry } from '../judge/find-telemetry.ts';
import { renderTable, type VerdictWire } from '../judge/render-card.ts';
import { writeLine } from '../write-line.ts';

export const sessions: Command = {
  usage: 'sessions [file]',
  arguments: [{ name: '[file]', summary: 'As for `renown judge`' }],
  options: [{ name: 'no-cache', type: 'boolean', summary: 'Read everything again, and remember nothing' }],
  examples: [
    { says: 'those of the transcripts on this machine', line: 'renown sessions ~/.claude/projects' },
  ],
  async run(input, io) {
    const { options } = input;
    const verdicts = await findVerdicts(input, io);
    if (io.stdout.isTTY && !options.json) {
      await writeLine(io.stdout, renderTable(verdicts));
      return;
    }
    for (const { session, masque, duration_min, composite, recommendation, stats } of verdicts) {
      const { total_tools, total_cost } = stats;
      const line = { ...session, masque, duration_min, total_tools, total_cost, composite, recommendation };
      await writeLine(io.stdout, JSON.stringify(line));
    }
  },
};

async function findVerdicts(input: CommandInput, io: Io): Promise<VerdictWire[]> {
  const [named] = input.positionals;
  const server = named === undefined ? await findServerSessions(input, io) : null;
  const served = (await server?.verdicts({ which: 'all' })) ?? [];
  if (server && served.length > 0) {
    io.stderr.write(`Asking ${server.place}.\n`);
    return served;
  }
  const { files } = findTelemetry(named, io, server ? { looked: [server.place] } : {});
  const sources = new Sources(files, {
    cacheFolder: input.options['no-cache'] ? null : cacheFolder(io.env),
    isFollowed: false,
  });
  await sources.read(io.stdin);
  return judgeSessions(sources.all.table, { which: 'all' }).map(toVerdictWire);
}
