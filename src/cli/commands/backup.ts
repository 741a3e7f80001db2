import { type Command, usageError } from '../command.ts';
import { STORE_OPTION, withLedger } from '../with-ledger.ts';

export const backup: Command = {
  usage: 'backup <file> [--store <value>]',
  arguments: [{ name: '<file>', summary: 'The copy; a file that exists is left alone' }],
  options: [STORE_OPTION],
  examples: [{ says: 'and restore it by opening it', line: 'renown export --store duckdb:backup.duckdb' }],
  async run(input, io) {
    const [file] = input.positionals;
    if (file === undefined) throw usageError('Say where the copy goes', 'backup');
    await withLedger(input, io, async (ledger) => {
      await ledger.backup(file);
      io.stdout.write(`${JSON.stringify({ file })}\n`);
    });
  },
};
