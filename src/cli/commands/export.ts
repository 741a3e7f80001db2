import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { RenownError } from '../../core/errors.ts';
import type { Command } from '../command.ts';
import { createProgress } from '../progress.ts';
import { STORE_OPTION, withLedger } from '../with-ledger.ts';
import { writeLine } from '../write-line.ts';

export const exportCommand: Command = {
  usage: 'export [file] [--store <value>]',
  arguments: [{ name: '[file]', summary: 'Where to; standard output when absent or -' }],
  options: [STORE_OPTION],
  examples: [{ says: 'keep a readable copy', line: 'renown export ledger.jsonl' }],
  async run(input, io) {
    const [file = '-'] = input.positionals;
    await withLedger(input, io, async (ledger) => {
      const progress = createProgress(io, 'rows');
      const target = file === '-' ? io.stdout : await createFile(file);
      for await (const line of ledger.exportLines()) {
        await writeLine(target, line);
        progress.add();
      }
      const rows = progress.done();
      if (file === '-') return;
      target.end();
      await finished(target);
      io.stdout.write(`${JSON.stringify({ file, rows })}\n`);
    });
  },
};

/** A new file that only its owner may read. One that exists is left alone. */
async function createFile(file: string) {
  try {
    return (await open(file, 'wx', 0o600)).createWriteStream();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists already' : code;
    throw new RenownError('unwritable_output', `${file} could not be written: ${why}. Name another file.`, {
      cause,
    });
  }
}
