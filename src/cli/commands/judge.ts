import { stringify } from 'yaml';
import { toVerdictWire } from '../../core/contract/verdict.ts';
import { judgeSessions } from '../../service/judge-sessions.ts';
import { findFiles } from '../../telemetry/files/find-files.ts';
import { readSources } from '../../telemetry/files/read-sources.ts';
import { type Command, usageError } from '../command.ts';
import { unreadable } from '../read-text.ts';
import { writeLine } from '../write-line.ts';

export const judge: Command = {
  usage: 'judge [file] [options]',
  arguments: [
    {
      name: '[file]',
      summary: 'Telemetry or transcripts: a file, a folder, a pattern, or - for standard input',
    },
  ],
  options: [
    { name: 'session', type: 'string', summary: 'The session of this id' },
    {
      name: 'last',
      type: 'boolean',
      summary: 'The session with the latest event; so it is without an option',
    },
    { name: 'all', type: 'boolean', summary: 'Every session' },
  ],
  examples: [{ says: 'the newest session of a collector file', line: 'renown judge logs.jsonl' }],
  async run({ positionals: [named], options }, io) {
    if (named === undefined) throw usageError('Say which file', 'judge');
    let paths: string[];
    try {
      paths = named === '-' ? ['-'] : findFiles(named);
    } catch (cause) {
      throw unreadable(named, cause);
    }
    const { table } = await readSources(paths, io.stdin);
    const which =
      typeof options.session === 'string' ? { session: options.session } : options.all ? 'all' : 'last';
    const verdicts = judgeSessions(table, { which }).map(toVerdictWire);
    const text = options.json
      ? JSON.stringify(options.all ? verdicts : verdicts[0])
      : verdicts
          .map((verdict) => stringify(verdict))
          .join('---\n')
          .trimEnd();
    await writeLine(io.stdout, text);
  },
};
