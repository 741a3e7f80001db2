import { toVerdictWire } from '../../core/contract/verdict.ts';
import { judgeSessions } from '../../service/judge-sessions.ts';
import { Sources } from '../../telemetry/files/sources.ts';
import type { Command } from '../command.ts';
import { cacheFolder, findTelemetry } from '../judge/find-telemetry.ts';
import { renderTable } from '../judge/render-card.ts';
import { writeLine } from '../write-line.ts';

export const sessions: Command = {
  usage: 'sessions [file]',
  arguments: [{ name: '[file]', summary: 'As for `renown judge`' }],
  options: [{ name: 'no-cache', type: 'boolean', summary: 'Read everything again, and remember nothing' }],
  examples: [
    { says: 'those of the transcripts on this machine', line: 'renown sessions ~/.claude/projects' },
  ],
  async run({ positionals: [named], options }, io) {
    const files = findTelemetry(named, io);
    const sources = new Sources(files, options['no-cache'] ? null : cacheFolder(io.env));
    await sources.read(io.stdin);
    const verdicts = judgeSessions(sources.all.table, { which: 'all' }).map(toVerdictWire);
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
